"""Games that count: both players agree, and the result of the game is confirmed or struck."""

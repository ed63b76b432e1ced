"""Pictures of tables, odds and figures as SVG text, from pure functions. PNG needs a rasterizer."""

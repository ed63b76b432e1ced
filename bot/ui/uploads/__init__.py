"""Files that people send: the encoding of a text, and the cells of a workbook."""

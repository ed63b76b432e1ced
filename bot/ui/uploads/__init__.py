"""Files that users upload: the encoding of a text, and the cells of a workbook."""

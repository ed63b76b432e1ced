"""Pictures as SVG text, made from tables, odds and figures by pure functions; PNG where a
rasterizer is installed.
"""

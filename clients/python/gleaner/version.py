"""The version of the package, which is that of the grid it was made with."""

VERSION = "0.1.0"

"""What a file declares, read from its syntax: names, functions, classes, signatures."""

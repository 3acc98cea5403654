"""The ``fable-solve`` command line: it parses, makes one library call and prints."""

"""What the tools for measuring share. Python's standard library is all they need, except that plots need matplotlib."""

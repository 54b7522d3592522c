"""What check_docs.py is made of. Python's standard library is all it needs."""

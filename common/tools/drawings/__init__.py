"""The drawings of the documents, made from the code's own constants and from what the simulator says."""

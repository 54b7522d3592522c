"""What the site has beside the documents: pages made from the source, both languages, drawings, mathematics."""

"""The pictures of the gallery: for each family of methods, what is computed and how it is drawn."""

"""Where models live: in files."""

"""From text to words; knows no probability."""

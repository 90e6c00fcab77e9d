"""The commands: a file each, found by listing this folder."""

"""The files of a study: where they may be, what is in them, how they are read and written."""

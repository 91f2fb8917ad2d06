"""What the commands share: where output goes, options, the progress bar, tables."""

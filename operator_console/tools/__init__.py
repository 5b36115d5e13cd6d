"""What has an effect but is no input: commands, file edits, own functions."""

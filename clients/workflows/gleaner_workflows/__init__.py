"""What workflow engines call instead of a cluster's commands: their many small submissions are tasks of few campaigns."""

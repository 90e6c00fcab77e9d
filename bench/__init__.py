"""Speed, memory and accuracy against rivals, in one run, as ratios."""

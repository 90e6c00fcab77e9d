"""English."""

NAME = "English"
STEMMER = "english"
STOP = """
a about above after again against all am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
further had hadn't has hasn't have haven't having he her here hers herself him himself his how i i'd i'll i'm
i've if in into is isn't it it's its itself just me more most must my myself no nor not of off on once only or
other ought our ours ourselves out over own same shall she should shouldn't so some such than that that's the
their theirs them themselves then there these they they're this those through to too under until up very was
wasn't we we're were weren't what when where which while who whom why will with won't would wouldn't you you're
your yours yourself yourselves
"""
EXAMPLE = "The cats were sleeping on the warm roof of our neighbour's house."

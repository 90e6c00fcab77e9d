"""`python -m plainbayes` is the command `plainbayes`."""

import sys

from plainbayes.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""`python -m bench [NAME ...] [--json]`: run the benchmarks of that name, or all."""

from __future__ import annotations

import argparse
import json
import os
import pkgutil
import sys
from importlib import import_module

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "PLAINBAYES_THREADS")
for variable in THREADS:
    os.environ.setdefault(variable, "1")  # one thread each, before NumPy is imported


def main() -> None:
    """Run what was asked for, and print tables or one JSON array of flat objects."""
    import bench

    names = sorted(m.name for m in pkgutil.iter_modules(bench.__path__) if m.name not in ("__main__", "timing"))
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Benchmarks, each against its rivals in one run."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names)}; default: all")
    parser.add_argument("--json", action="store_true", help="print one array of flat objects")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full number of rows (default 1)")
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="where NAME/train.parquet and NAME/test.parquet (accuracy) or NAME.parquet (tables) are",
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these data sets; default: all")
    parser.add_argument("--label", metavar="COLUMN", help="tables: the target, where registry.json has none")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(names):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    modules = [import_module(f"bench.{name}") for name in chosen.names or names]
    rows = [module.run(chosen) for module in modules]
    if chosen.json:
        json.dump([row for some in rows for row in some], sys.stdout, indent=1)
        print()
    else:
        from bench.timing import table

        print("\n\n".join(getattr(module, "report", table)(some) for module, some in zip(modules, rows, strict=True)))


if __name__ == "__main__":
    main()

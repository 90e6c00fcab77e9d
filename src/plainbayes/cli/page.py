"""An explanation as a page: one file, nothing loaded, light and dark, readable without colours."""

from __future__ import annotations

import math

from plainbayes.cli.spread import Piece, loudest, named
from plainbayes.explain import Explanation
from plainbayes.report.svg import safe

_STYLE = """
:root { color-scheme: light dark; --for: 37 99 235; --against: 217 119 6; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
#text { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 1.15rem; line-height: 2; }
mark { color: inherit; background: none; border-radius: 0.2em; padding: 0.1em 0; border-bottom: 2px solid transparent; }
mark.for { background: rgb(var(--for) / calc(var(--w) * 0.5)); border-bottom: 2px solid rgb(var(--for)); }
mark.against { background: rgb(var(--against) / calc(var(--w) * 0.5)); border-bottom: 2px dashed rgb(var(--against)); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; padding: 0.5rem 0; }
th, td { text-align: start; padding: 0.15rem 0.5rem; }
th[scope=row] { font-weight: normal; overflow-wrap: anywhere; }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; }
td.bar { width: 40%; }
td.bar div { height: 0.9em; width: calc(var(--w) * 100%); border-radius: 0.2em; }
td.bar .for { background: rgb(var(--for)); }
td.bar .against { background: none; outline: 2px dashed rgb(var(--against)); outline-offset: -2px; }
"""


def page(why: Explanation, pieces: list[Piece]) -> str:
    """Return the page of an explanation."""
    label, against = (safe(str(name)) for name in (why.label, why.against))
    text = "".join(_marked(piece, loudest(pieces)) for piece in pieces)
    terms = [("what was known before", "", why.prior), ("the class by itself", "", why.bias)]
    terms = [term for term in terms if term[2]]
    terms += [(named(share.feature), f"{share.value:g}", share.nats) for share in why.shares]
    most = loudest(Piece(name, nats) for name, _, nats in terms)
    silent = (
        "<p>Every class calls this impossible: the data say nothing, the prior decides.</p>\n" if why.silent else ""
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Why {label}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1><bdi>{label}</bdi> with probability {why.probability:.3f}</h1>
<p>Log odds against <bdi>{against}</bdi>: {why.total:+.3f} nats. <mark class="for" style="--w:1">For {label}</mark> is
underlined, <mark class="against" style="--w:1">against it</mark> dashed; the stronger the colour, the more it says.</p>
{silent}<p id="text" dir="auto">{text}</p>
<table>
<caption>All that was said, in nats; the sum is the log odds.</caption>
<thead><tr><th scope="col">word</th><th scope="col" class="number">count</th><th scope="col" class="number">nats</th>
<th scope="col"><span hidden>size</span></th></tr></thead>
<tbody>
{"".join(_row(*term, most) for term in terms)}</tbody>
</table>
</main>
</body>
</html>
"""


def _marked(piece: Piece, most: float) -> str:
    if not piece.nats:
        return safe(piece.text)
    return (
        f'<mark class="{_side(piece.nats)}" style="--w:{_size(piece.nats, most)}" title="{piece.nats:+.3f}">'
        f"{safe(piece.text)}</mark>"
    )


def _row(name: str, count: str, nats: float, most: float) -> str:
    return (
        f'<tr><th scope="row"><bdi>{safe(name)}</bdi></th><td class="number">{count}</td>'
        f'<td class="number">{nats:+.3f}</td>'
        f'<td class="bar"><div class="{_side(nats)}" style="--w:{_size(nats, most)}"></div></td></tr>\n'
    )


def _side(nats: float) -> str:
    return "for" if nats > 0 else "against"


def _size(nats: float, most: float) -> str:
    return f"{min(abs(nats) / most, 1.0) if math.isfinite(nats) else 1.0:.3f}"

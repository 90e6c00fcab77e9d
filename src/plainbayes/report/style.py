"""How reports look, in light and in dark: the only place that knows colours."""

from __future__ import annotations

STYLE = """
.plainbayes { color-scheme: light dark; --paper: #ffffff; --ink: #1c1917; --soft: #57534e; --rule: #e7e5e4;
  --card: #fafaf9; --for: #2563eb; --against: #c2570c; --strength: 0.75;
  --c0: #2563eb; --c1: #c2570c; --c2: #047857; --c3: #be185d; --c4: #7c3aed;
  --c5: #0e7490; --c6: #854d0e; --c7: #57534e;
  background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .plainbayes { --paper: #161514; --ink: #f5f5f4; --soft: #b8b3ae; --rule: #3a3633;
  --card: #1f1d1c; --for: #7ab0ff; --against: #ffa45c; --strength: 0.5;
  --c0: #7ab0ff; --c1: #ffa45c; --c2: #4ade9f; --c3: #f58cc0; --c4: #bda4ff;
  --c5: #5fd4ea; --c6: #e0c25e; --c7: #b8b3ae; } }
div.plainbayes { padding: 0.5rem 1rem; }
.plainbayes main { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
.plainbayes h1 { font-size: 1.7rem; line-height: 1.25; margin: 2rem 0 0.5rem; overflow-wrap: anywhere; }
.plainbayes h2 { font-size: 1.25rem; margin: 0 0 0.25rem; }
.plainbayes h3 { font-size: 1rem; margin: 1rem 0 0.25rem; }
.plainbayes p { margin: 0.4rem 0; max-width: 46rem; }
.plainbayes .verdict { font-size: 1.15rem; }
.plainbayes .soft, .plainbayes figcaption, .plainbayes summary { color: var(--soft); font-size: 0.9rem; }
.plainbayes section { border-top: 1px solid var(--rule); margin-top: 1.75rem; padding-top: 1.25rem; }
.plainbayes :focus-visible { outline: 3px solid var(--for); outline-offset: 4px; border-radius: 2px; }
.plainbayes a { color: var(--for); }
.plainbayes .skip { position: absolute; left: -99rem; }
.plainbayes .skip:focus { left: 1rem; top: 0.5rem; background: var(--paper); padding: 0.3rem 0.6rem; }
.plainbayes nav ul { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; padding: 0; margin: 1rem 0 0; list-style: none;
  font-size: 0.9rem; }
.plainbayes figure { margin: 0.75rem 0; }
.plainbayes .wide { overflow-x: auto; }
.plainbayes .pair { display: grid; gap: 0 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(25rem, 100%), 1fr)); }
.plainbayes .side { display: grid; grid-template-columns: minmax(0, var(--width)) minmax(14rem, 1fr); gap: 0 2rem; }
@media (max-width: 48rem) { .plainbayes .side { grid-template-columns: minmax(0, 1fr); } }
.plainbayes .figures { display: grid; gap: 0.75rem; padding: 0; margin: 1rem 0 0;
  grid-template-columns: repeat(auto-fit, minmax(max(7rem, 100% / var(--n) - 1rem), 1fr)); }
.plainbayes .figures div { background: var(--card); border: 1px solid var(--rule); border-radius: 0.5rem;
  padding: 0.5rem 0.9rem; }
.plainbayes .figures dt { color: var(--soft); font-size: 0.85rem; }
.plainbayes .figures dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
.plainbayes table { border-collapse: collapse; font-size: 0.92rem; color: inherit; }
.plainbayes caption { text-align: start; color: var(--soft); padding: 0.3rem 0; }
.plainbayes th, .plainbayes td { text-align: start; padding: 0.2rem 0.8rem 0.2rem 0;
  border-bottom: 1px solid var(--rule); background: none; color: inherit; }
.plainbayes th[scope=row] { font-weight: normal; overflow-wrap: anywhere; }
.plainbayes .number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.plainbayes details { margin: 0.4rem 0; }
.plainbayes summary { cursor: pointer; width: fit-content; }
.plainbayes .words { display: grid; gap: 0 2rem;
  grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); }
.plainbayes .words table { width: 100%; }
.plainbayes .words caption { position: absolute; left: -99rem; }
.plainbayes article { background: var(--card); border: 1px solid var(--rule); border-radius: 0.5rem;
  padding: 0.2rem 1rem 0.6rem; margin: 1rem 0; }
.plainbayes blockquote { margin: 0.5rem 0; padding-inline-start: 0.8rem; border-inline-start: 3px solid var(--rule);
  white-space: pre-wrap; overflow-wrap: anywhere; }
.plainbayes svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
.plainbayes svg text { fill: var(--ink); unicode-bidi: plaintext; }
.plainbayes svg .tick, .plainbayes svg .name { fill: var(--soft); }
.plainbayes svg .small { font-size: 10px; }
.plainbayes svg .strong { font-weight: 600; }
.plainbayes svg .grid { stroke: var(--rule); stroke-width: 1; }
.plainbayes svg .axis { stroke: var(--soft); stroke-width: 1; }
.plainbayes svg .chance { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 4; fill: none; }
.plainbayes svg .mark { stroke: var(--against); stroke-width: 1.5; stroke-dasharray: 6 3; }
.plainbayes svg .band { fill: var(--against); fill-opacity: 0.15; }
.plainbayes svg .within { fill: var(--soft); fill-opacity: 0.12; stroke: var(--soft); stroke-opacity: 0.5; }
.plainbayes svg .exact { fill: none; stroke: var(--ink); stroke-width: 1.25; stroke-dasharray: 6 4; }
.plainbayes svg .dot { fill: var(--for); fill-opacity: 0.45; }
.plainbayes svg .shade { fill: var(--for); fill-opacity: var(--w); }
.plainbayes svg .area { fill: var(--for); fill-opacity: 0.3; stroke: var(--for); stroke-width: 1.5; }
.plainbayes svg .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
.plainbayes svg .range { stroke-width: 6; stroke-linecap: round; stroke-opacity: 0.35; }
.plainbayes svg .whisker { stroke: var(--for); stroke-width: 1.5; stroke-opacity: 0.5; }
.plainbayes svg .for { fill: var(--for); }
.plainbayes svg .against { fill: var(--against); }
.plainbayes svg line.for { stroke: var(--for); }
.plainbayes svg line.against { stroke: var(--against); }
.plainbayes svg rect.against { fill-opacity: 0.35; stroke: var(--against); stroke-dasharray: 4 2; }
.plainbayes svg .range.rest { stroke: var(--soft); }
.plainbayes svg rect.cell { fill-opacity: calc(var(--w) * var(--strength)); stroke: var(--rule);
  stroke-dasharray: none; }
""" + "".join(
    f".plainbayes svg .c{place} {{ stroke: var(--c{place}); stroke-dasharray: {dash}; }}\n"
    # Curves differ in their dashes too, for those who do not see colours.
    for place, dash in enumerate(("none", "8 3", "2 2", "10 3 2 3", "5 2", "1 3", "12 4", "6 2 1 2"))
)


def fragment(*inside: str) -> str:
    """A piece of a page for a notebook, which brings its own style."""
    return f'<div class="plainbayes"><style>{STYLE}</style>{"".join(inside)}</div>'

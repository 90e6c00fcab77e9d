"""A tiny SVG writer: tags, texts made safe, scales and axes. Colours are classes, which style.py knows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import combining, east_asian_width
from zlib import crc32

Point = tuple[float, float]


def safe(text: object) -> str:
    r"""Escape for HTML, in which control characters have no place.

    >>> safe("<b>\x1b") == "&lt;b&gt;\ufffd"
    True
    """
    return escape(re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", str(text)))


def shortened(text: object, most: int) -> str:
    """Cut a text to so many columns, with dots where something is missing; Han, kana and the like take two each.

    >>> shortened("a  long name", 7), shortened("牛奶和面包", 7)
    ('a long…', '牛奶和…')
    """
    flat = " ".join(str(text).split())
    if columns(flat) <= most:
        return flat
    kept = max(size for size in range(most) if columns(flat[:size]) < most)
    return flat[:kept].rstrip() + "…"


def columns(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def tag(name: str, *inside: str, **attributes: object) -> str:
    """Write an element; what is inside is markup already, attributes are made safe.

    >>> tag("line", x1=0, y2=1.50, class_="grid", stroke_width="<")
    '<line x1="0" y2="1.5" class="grid" stroke-width="&lt;"/>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_number(value) if isinstance(value, int | float) else safe(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{given}>{''.join(inside)}</{name}>" if inside else f"<{name}{given}/>"


def _number(value: float) -> str:
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def text(x: float, y: float, words: object, side: str = "start", **attributes: object) -> str:
    """Write words at a place; `side` is the end of them that stands there: start, middle or end."""
    return tag("text", safe(words), x=x, y=y, text_anchor=side, **attributes)


def picture(title: str, words: str, size: tuple[float, float], *inside: str) -> str:
    """A drawing with a title and a description for those who do not see it."""
    drawn = "".join(inside)
    name = f"p{crc32((title + words + drawn).encode('utf-8', 'replace')):08x}"
    return tag(
        "svg",
        tag("title", safe(title), id=f"{name}-title"),
        tag("desc", safe(words), id=f"{name}-words"),
        drawn,
        role="img",
        aria_labelledby=f"{name}-title {name}-words",
        viewBox=f"0 0 {size[0]:g} {size[1]:g}",
        style=f"max-width:{size[0]:g}px;min-width:{0.7 * size[0]:g}px",
    )


@dataclass(frozen=True)
class Scale:
    """From values to places on the drawing, and back."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def value(self, place: float) -> float:
        """Return the value that stands at a place."""
        return self.low + (place - self.start) / (self.end - self.start) * (self.high - self.low)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high, at most so many.

    >>> ticks(0, 1), ticks(-37, 45, 5)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-20.0, 0.0, 20.0, 40.0])
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 2.5, 5, 10, 20) if (high - low) / (power * times) < most - 1e-8)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def percent(share: float) -> str:
    """Write a share as a reader says it.

    >>> percent(0.5), percent(0.9123), percent(0.9996), percent(1.0)
    ('50%', '91.2%', '99.96%', '100%')
    """
    digits = 2 if 0.9995 <= share < 1 or 0 < share < 0.0005 else 1
    return f"{100 * share:.{digits}f}".rstrip("0").rstrip(".") + "%"


def amount(value: float) -> str:
    """Write a number of any size as a reader says it.

    >>> amount(0.36984), amount(1995.0), amount(-12345.6), amount(3e20)
    ('0.37', '1995', '-12,346', '3e+20')
    """
    if not 1e3 <= abs(value) < 1e15:
        return f"{value:.3g}"
    return f"{value:.0f}" if abs(value) < 1e4 else f"{value:,.0f}"


def brief(value: float) -> str:
    """Write a number for an axis, where there is little room.

    >>> brief(0.25), brief(1995.0), brief(12500.0), brief(-3e6)
    ('0.25', '1995', '12.5k', '-3M')
    """
    size = abs(value)
    if size < 1e4 or size >= 1e12:
        return f"{value:.6g}"
    return f"{value / 1e3:.6g}k" if size < 1e6 else f"{value / 1e6:.6g}M"


@dataclass(frozen=True)
class Axes:
    """A field between two scales, with a grid, numbers and names."""

    x: Scale
    y: Scale
    names: tuple[str, str]
    forms: tuple[Callable[[float], str], Callable[[float], str]] = (percent, percent)
    marks: Sequence[float] | None = None  # on the horizontal axis; None: round numbers

    def drawn(self) -> str:
        """The grid, its numbers and the names of the axes."""
        x, y = self.x, self.y
        parts = []
        for value in ticks(x.low, x.high, 5) if self.marks is None else self.marks:
            parts.append(tag("line", x1=x(value), x2=x(value), y1=y.start, y2=y.end, class_="grid"))
            parts.append(text(x(value), y.start + 16, self.forms[0](value), "middle", class_="tick"))
        for value in ticks(y.low, y.high, 5):
            parts.append(tag("line", x1=x.start, x2=x.end, y1=y(value), y2=y(value), class_="grid"))
            parts.append(text(x.start - 6, y(value) + 4, self.forms[1](value), "end", class_="tick"))
        middle = (y.start + y.end) / 2
        parts.append(text((x.start + x.end) / 2, y.start + 34, self.names[0], "middle", class_="name"))
        turned = f"rotate(-90 {x.start - 54:g} {middle:g})"
        parts.append(text(x.start - 54, middle, self.names[1], "middle", class_="name", transform=turned))
        return "".join(parts)

    def line(self, points: Iterable[Point], class_: str) -> str:
        """A line through points; those that nobody could tell from the one before are left out."""
        places: list[Point] = []
        last: Point | None = None
        for value in points:
            last = self.x(value[0]), self.y(value[1])
            if not places or math.dist(last, places[-1]) >= 0.5:
                places.append(last)
        if last is not None and places[-1] != last:
            places.append(last)
        return tag("polyline", points=" ".join(f"{_number(a)},{_number(b)}" for a, b in places), class_=class_)

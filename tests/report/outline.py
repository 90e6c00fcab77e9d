"""What tests of pages share: what a browser would see, what should never get there, and a density to draw."""

from html.parser import HTMLParser

import numpy as np

from plainbayes.regression import Density

EVIL = "</title></style><script>alert(1)</script><img src=https://evil.example onerror=alert(1)>"


class Outline(HTMLParser):
    """What a browser would see: tags that are closed in order, headings, ids and references."""

    VOID = ("meta",)

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, attribute):
        return [attrs[attribute] for _, attrs in self.seen if attribute in attrs]


def density(*rows):
    """Ten cells from 0 to 10, with these probabilities."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.array(rows, dtype=float))
    return Density(tuple(np.arange(10) + 0.5), logs, np.zeros(len(rows), bool), np.arange(11.0))

"""Draw every family: `make docs` writes docs/gallery/index.html."""

from __future__ import annotations

import html
import io
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from plainbayes import Model, TextClassifier, events
from plainbayes.event import BlockEvent, CellEvent, CountEvent
from plainbayes.regression import Regressor

OUT = Path(__file__).parent / "gallery"
RNG = np.random.default_rng(20)
BLUE, ORANGE = "#2b6cb0", "#dd6b20"

SAMPLES = {
    "count": (RNG.poisson(3, 600), RNG.poisson(8, 400)),
    "nonnegative": (RNG.exponential(2, 600), RNG.exponential(6, 400)),
    "positive": (RNG.gamma(2, 1.5, 600), RNG.gamma(6, 1.5, 400)),
    "real": (
        np.concatenate([RNG.normal(-3, 1, 400), RNG.normal(1.5, 0.5, 200)]),
        np.concatenate([RNG.normal(3, 1, 380), RNG.normal(9, 3, 20)]),
    ),
}


def density(event: CellEvent, axes: plt.Axes) -> None:
    """Fitted density of two classes over their histograms."""
    samples = SAMPLES[event.support]
    x = np.concatenate(samples)[:, None].astype(float)
    model = Model(event).learn(x, np.repeat(["one", "two"], [len(s) for s in samples]))
    whole = event.support == "count"
    grid = np.arange(x.max() + 1) if whole else np.linspace(x.min(), x.max(), 600)
    heights = np.exp(event.log_prob(model.parameters(None, event), grid[:, None]))
    for number, (sample, colour) in enumerate(zip(samples, (BLUE, ORANGE), strict=True)):
        bins = np.arange(x.max() + 2) - 0.5 if whole else 40
        axes.hist(sample, bins=bins, density=True, color=colour, alpha=0.3)
        label = f"class {model.classes[number]}"
        axes.plot(grid, heights[:, number], color=colour, marker="o" if whole else "", label=label)
    axes.set(xlabel="x", ylabel="p(x | class)")
    axes.legend()


def regions(event: BlockEvent, axes: plt.Axes) -> None:
    """Decision regions for two columns that move together."""
    one = RNG.multivariate_normal([0, 0], [[2, 1.6], [1.6, 2]], 300)
    two = RNG.multivariate_normal([2, -1], [[1, -0.5], [-0.5, 1]], 300)
    X = np.vstack([one, two])
    model = Model(event).learn(X, ["one"] * 300 + ["two"] * 300)
    a, b = np.meshgrid(np.linspace(-5, 5, 160), np.linspace(-5, 5, 160))
    p = model.posterior(np.column_stack([a.ravel(), b.ravel()])).probabilities[:, 0].reshape(a.shape)
    axes.contourf(a, b, p, levels=[0, 0.05, 0.25, 0.5, 0.75, 0.95, 1], cmap="RdBu", alpha=0.6)
    axes.scatter(*one.T, s=6, color=BLUE, label="class one")
    axes.scatter(*two.T, s=6, color=ORANGE, label="class two")
    axes.set(xlabel="first column", ylabel="second column", xlim=(-5, 5), ylim=(-5, 5))
    axes.legend()


def rare_word(event: CountEvent, axes: plt.Axes) -> None:
    """What a rare word says as smoothing grows."""
    alphas = np.logspace(-3, 1.5, 40)
    for seen, colour in ((1, BLUE), (5, ORANGE)):
        texts = ["word rare"] * seen + ["word"] * (20 - seen)
        nats = []
        for alpha in alphas:
            mail = TextClassifier(type(event)(alpha=alpha)).fit(texts, ["one"] * 10 + ["two"] * 10)
            why = mail.model.explain(mail.bags("rare"), label="one", against="two")
            nats.append(sum(share.nats for share in why.shares))
        axes.semilogx(alphas, nats, color=colour, label=f"in {seen} of 10 texts of class one, none of class two")
    axes.axhline(0, color="grey", linewidth=0.5)
    axes.set(xlabel="alpha", ylabel="share of 'rare' in the log odds (nats)")
    axes.legend()


def shares_of_labels(axes: plt.Axes) -> None:
    """Estimates of categories, one of them never seen."""
    event = events.named("categorical")
    column = ["red"] * 12 + ["green"] * 5 + ["blue"]
    model = Model(event).learn([[c] for c in column], ["one"] * len(column))
    asked = ["red", "green", "blue", "never seen"]
    ((key, block),) = model.blocks([[c] for c in asked]).items()
    p = np.exp(event.log_prob(model.parameters(key, event), block.aligned(model.evidence.parts[key].features)))[:, 0]
    axes.bar(asked, p, color=BLUE)
    axes.set(ylabel="p(category | class)")


def regression(axes: plt.Axes) -> None:
    """A curve with noise: mean and 90% interval."""
    x = RNG.uniform(-2, 2, 4000)
    y = x**2 + RNG.normal(0, 0.4, 4000)
    model = Regressor(events.named("histogram", alpha=0.01, bins=40)).fit(x[:, None], y)
    grid = np.linspace(-2, 2, 200)
    posterior = model.posterior(grid[:, None])
    axes.scatter(x[:800], y[:800], s=4, color="grey", alpha=0.4)
    axes.fill_between(grid, *posterior.interval(0.9), color=ORANGE, alpha=0.3, label="90% interval")
    axes.plot(grid, posterior.mean(), color=BLUE, label="mean")
    axes.set(xlabel="x", ylabel="y")
    axes.legend()


def picture(title: str, draw) -> str:
    """One picture as SVG inside a figure."""
    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    draw(axes)
    axes.set_title(title)
    text = io.StringIO()
    figure.savefig(text, format="svg")
    plt.close(figure)
    svg = text.getvalue()
    return svg[svg.index("<svg") :]


def main() -> None:
    """Draw one picture per event, and one of regression."""
    figures = []
    for name in events.names():
        event = events.named(name)
        formula = __import__(f"plainbayes.events.{name}", fromlist=["x"]).__doc__
        if isinstance(event, CellEvent):
            drawing = picture(event.name, lambda axes, e=event: density(e, axes))
        elif isinstance(event, BlockEvent):
            drawing = picture(event.name, lambda axes, e=event: regions(e, axes))
        elif event.support == "category":
            drawing = picture(event.name, shares_of_labels)
        else:
            drawing = picture(event.name, lambda axes, e=event: rare_word(e, axes))
        figures.append(f"<figure>{drawing}<figcaption>{html.escape(formula.strip())}</figcaption></figure>")
        print(f"drew {name}")
    drawing = picture("regression", regression)
    figures.append(f"<figure>{drawing}<figcaption>p(y | x) from p(x | y): mean and interval</figcaption></figure>")
    style = "body{font-family:sans-serif;max-width:60em;margin:auto}figure{margin:2em 0}svg{max-width:100%;height:auto}"
    page = f"<!doctype html><meta charset='utf-8'><title>plainbayes: gallery</title><style>{style}</style>"
    OUT.mkdir(exist_ok=True)
    (OUT / "index.html").write_text(page + "<h1>Every family</h1>" + "\n".join(figures), encoding="utf-8")
    print(f"wrote {OUT / 'index.html'}")


if __name__ == "__main__":
    main()

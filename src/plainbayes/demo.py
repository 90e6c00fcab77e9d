"""A tour on the bundled samples: `python -m plainbayes.demo`, or `make demo`."""

from __future__ import annotations

import csv
import shlex
from contextlib import chdir
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

import numpy as np

from plainbayes import (
    Costs,
    Model,
    Product,
    Reject,
    TextClassifier,
    choose,
    leave_one_out,
    smoothings,
    suit,
)
from plainbayes.cli import main as plainbayes
from plainbayes.events import Categorical, Multinomial


def sample(name: str) -> list[dict[str, str]]:
    """Return the rows of a bundled sample."""
    text = files("plainbayes").joinpath("samples", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t" if name.endswith(".tsv") else ","))


def messages() -> None:
    """Spam in four languages: choose the smoothing, judge, explain, decide, unlearn."""
    rows = sample("messages.tsv")
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    title(f"Spam or not: {len(rows)} messages in Russian, Chinese, Spanish and English, one model")

    mail = TextClassifier(Multinomial(distinct=True)).fit(texts, labels)
    tried = choose(mail.model, mail.bags(texts), labels, smoothings(Multinomial(distinct=True)))
    print("Smoothing, chosen by exact leave-one-out (no data held out):")
    for one in tried:
        print(
            f"  alpha {getattr(one.event, 'alpha', None):<5} log loss {one.log_loss:.3f}  accuracy {one.accuracy:.1%}"
        )
    mail.set_params(event=tried[0].event)  # the counts stay: nothing is learned again

    judged = mail.leave_one_out(texts, labels)
    right = np.array([a == b for a, b in zip(judged.posterior.mode(), judged.truth, strict=True)])
    languages = np.array([row["language"] for row in rows])
    shares = ", ".join(f"{name} {right[languages == name].mean():.0%}" for name in sorted(set(languages)))
    print(f"Every message judged by all the others: {judged.accuracy:.1%} right ({shares})\n")

    question = "Поздравляем! Вы выиграли приз, срочно переведите комиссию по ссылке"
    print(f"«{question}»")
    print(mail.explain(question))

    costs = Costs("ham>spam=4, spam>ham=1, ask=0.3")
    question = "Hi, your bank card is ready, pick it up when you buy the milk"
    posterior = mail.posterior(question)
    print(f"\n«{question}»")
    print("A lost message costs 4, a spam let through 1, asking a person 0.3:")
    for answer, risk in zip(costs.answers(posterior.classes), costs.risks(posterior)[0], strict=True):
        print(f"  {answer:<5} expected cost {risk:.2f}")
    print(f"  answer: {costs.act(posterior)[0]}")
    saved = costs.mean(judged.truth, judged.posterior.mode()) - costs.mean(judged.truth, costs.act(judged.posterior))
    print(f"  over all messages, deciding by cost saves {saved:.2f} a message against the most probable class")

    before = mail.predict_proba(question)
    mail.learn("win a prize now", "spam").unlearn("win a prize now", "spam")
    same = np.array_equal(before, mail.predict_proba(question))
    print(f"\nLearned one more message and unlearned it: every probability as before to the bit: {same}")


def shop() -> None:
    """Categories, counts, times, amounts and missing cells side by side in one model."""
    rows = sample("shop.csv")
    title(f"Who buys? {len(rows)} visits to a shop: categories, counts, times, amounts, missing cells in one model")
    numbers = ("pages", "seconds", "basket")
    table = [
        {name: (float(value) if name in numbers else value) if value else None for name, value in row.items()}
        for row in rows
    ]
    truth = [row["bought"] for row in rows]
    print("The event for each column of numbers, chosen by leave-one-out likelihood:")
    chosen = {name: suit([np.nan if row[name] is None else row[name] for row in table], truth) for name in numbers}
    for name, choice in chosen.items():
        print(f"  {name}: {choice.reason}")
    labels = ("country", "device", "referral", "weekday")
    design = Product({labels: Categorical(), **{name: choice.event for name, choice in chosen.items()}})
    model = Model(design).learn(table, truth)
    judged = leave_one_out(model, table, truth)
    print(f"Every visit judged by all the others: {judged.accuracy:.1%} right, log loss {judged.log_loss:.3f}")
    unsure = Reject(0.2).act(judged.posterior)
    answered = [(a, b) for a, b in zip(unsure, truth, strict=True) if a != "ask"]
    rate = sum(a == b for a, b in answered) / len(answered)
    print(
        f"Asking a person at a price of 0.2: {1 - len(answered) / len(truth):.0%} asked, {rate:.1%} of the rest right\n"
    )
    print(model.explain([table[0]]))


def commands() -> None:
    """From a file to a saved model to an answer, on the command line."""
    title("The same from the command line")
    rows = sample("messages.tsv")
    with TemporaryDirectory() as folder, chdir(folder):
        lines = "".join(f"{row['label']}\t{row['text']}\n" for row in rows)
        Path("mail.tsv").write_text(lines, encoding="utf-8")
        for line in COMMANDS.strip().splitlines():
            print(f"$ {line}", flush=True)
            if code := plainbayes(shlex.split(line)[1:]):
                raise SystemExit(code)
            print()
        report = Path("report.html").read_text(encoding="utf-8")
    with NamedTemporaryFile("w", prefix="plainbayes-", suffix=".html", delete=False, encoding="utf-8") as kept:
        kept.write(report)
    print(f"The report, with pictures, for a browser: {kept.name}")


COMMANDS = """
plainbayes split mail.tsv --test 0.25
plainbayes train train.tsv -o mail.bayes
plainbayes evaluate mail.bayes test.tsv --cost 'ham>spam=4, spam>ham=1, ask=0.3' --report report.html --train train.tsv
plainbayes predict mail.bayes "Felicidades, ha ganado un premio: pague la comisión hoy"
plainbayes words mail.bayes spam -n 5
"""


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}\n{'=' * len(text)}")


def main() -> None:
    """Run the tour."""
    messages()
    shop()
    commands()


if __name__ == "__main__":
    main()

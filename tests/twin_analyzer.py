"""A slow, plain twin of the analyser in Rust: the same tokens by the shortest code."""

import unicodedata
from functools import cache
from itertools import groupby, pairwise

LETTER, DIGIT, IDEOGRAPH, SIGN, PICTURE, FLAG, MARK, JOINER, APOSTROPHE, POINT, NOTHING, SPACE = range(12)

IDEOGRAPHS = (
    (0x3005, 0x3007),
    (0x3041, 0x3096),
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFD),
)
UNSPACED = ("THAI", "LAO", "KHMER", "MYANMAR", "HANGUL", "HALFWIDTH HANGUL")
SPECIAL = dict.fromkeys("\ufffd\u200b", SPACE) | dict.fromkeys("'’", APOSTROPHE) | dict.fromkeys(".,", POINT)
SPECIAL |= {"\u200c": MARK, "\u200d": JOINER} | dict.fromkeys("!?%！？％؟٪", SIGN)
SPECIAL |= dict.fromkeys(map(chr, range(0x1F1E6, 0x1F200)), FLAG)


@cache
def kind(character):
    if character in SPECIAL:
        return SPECIAL[character]
    if any(low <= ord(character) <= high for low, high in IDEOGRAPHS):
        return IDEOGRAPH
    category, name = unicodedata.category(character), unicodedata.name(character, "")
    if category == "Cf" or "VARIATION SELECTOR" in name or "EMOJI MODIFIER" in name:
        return NOTHING
    if category[0] == "M" or name.startswith(("HANGUL JUNGSEONG", "HANGUL JONGSEONG")):
        return MARK
    if category[0] == "L" and name.startswith(UNSPACED):
        return IDEOGRAPH
    if category[0] == "L" or category == "Pc":
        return LETTER
    return {"N": DIGIT, "Sc": SIGN, "So": PICTURE}.get(category if category[0] == "S" else category[0], SPACE)


def clusters(text):
    """Characters with what is on them, and their kinds; pictures joined, flags whole."""
    found = []
    joined = False
    for character in text.casefold():
        this = kind(character)
        before, so_far = found[-1] if found else (SPACE, "")
        if this == NOTHING:
            continue
        if this in (MARK, JOINER):
            joined |= this == JOINER and before == PICTURE
            if before in (LETTER, DIGIT, IDEOGRAPH):
                found[-1] = (before, so_far + character)
            continue
        if this == before == FLAG and len(so_far) == 1:
            found[-1] = (FLAG, so_far + character)
        elif this == before == PICTURE and joined:
            found[-1] = (PICTURE, f"{so_far}\u200d{character}")
        else:
            found.append((this, character))
        joined = False
    return found


def words(text, whole=False):
    """The words of each run of characters of one kind."""
    found = clusters(text)
    kinds = [kind for kind, _ in found]
    for at, this in enumerate(kinds):
        if this in (APOSTROPHE, POINT):
            between = LETTER if this == APOSTROPHE else DIGIT
            inside = 0 < at < len(kinds) - 1 and kinds[at - 1] == kinds[at + 1] == between
            kinds[at] = between if inside else SPACE
    joined = [{DIGIT: LETTER, FLAG: SIGN, PICTURE: SIGN}.get(kind, kind) for kind in kinds]
    tokens = []
    for this, run in groupby(zip(joined, found, strict=True), key=lambda pair: pair[0]):
        characters = [character for _, (_, character) in run]
        if this == LETTER or (this == IDEOGRAPH and whole):
            tokens.append("".join(characters))
        elif this == IDEOGRAPH:
            tokens += characters + [a + b for a, b in pairwise(characters)]
        elif this == SIGN:
            tokens += characters
    return tokens


def word_ngrams(tokens, low, high):
    return [" ".join(tokens[at : at + size]) for size in range(low, high + 1) for at in range(len(tokens) - size + 1)]


def bare(text):
    kept = [c for c in unicodedata.normalize("NFD", text) if not accent(unicodedata.combining(c))]
    return unicodedata.normalize("NFC", "".join(kept))


def accent(combining):
    return combining == 1 or 10 <= combining <= 35 or 200 <= combining <= 240

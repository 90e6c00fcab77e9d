"""Whatever holds texts gives the same rows: files of every format, folders, lists, arrays, frames."""

import codecs
import gzip
import io
import itertools
import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import InputError, TextClassifier
from plainbayes._core import Reader, Source
from plainbayes.sources import columns, encoded, read, texts
from plainbayes.sources.recognise import are_labels, is_prose

ROWS = [("spam", "buy pills now, please"), ("ham", "see you"), ("ham", 'привет, "мир" 你好'), ("spam", "")]
TRIPLES = [(label, text, 1.0) for label, text in ROWS]

CYRILLIC = ["широкая электрификация южных губерний даст мощный толчок", "съешь ещё этих мягких французских булок"]
CHINESE = ["自然语言处理是人工智能的一个重要方向", "今天的天气很好我们一起去公园散步吧"]
TAIWANESE = ["自然語言處理是人工智慧的一個重要方向", "今天的天氣很好我們一起去公園散步吧"]
JAPANESE = ["今日はとても良い天気なので散歩に行きましょう", "自然言語処理は人工知能の重要な分野です"]
KOREAN = ["오늘은 날씨가 아주 좋아서 산책을 갑시다", "자연어 처리는 인공지능의 중요한 분야입니다"]
FRENCH = ["le cœur déçu mais l'âme plutôt naïve, où çà", "un été à la forêt près de la rivière où il pêche"]
CHARSETS = {
    "windows-1251": CYRILLIC,
    "koi8-r": CYRILLIC,
    "gb18030": CHINESE,
    "big5": TAIWANESE,
    "shift_jis": JAPANESE,
    "euc-kr": KOREAN,
    "windows-1252": FRENCH,
}


def tabbed(rows):
    return "".join(f"{label}\t{text}\n" for label, text in rows)


def fasttext(rows):
    return "".join(f"__label__{label} {text}\n" for label, text in rows)


def jsonl(rows):
    return "".join(json.dumps({"text": text, "label": label, "id": [1, {}]}) + "\n" for label, text in rows)


def csv(rows):
    return pd.DataFrame(rows, columns=["label", "text"]).to_csv(index=False, lineterminator="\n")


def tsv(rows):
    return pd.DataFrame([(1, *row) for row in rows], columns=["id", "label", "text"]).to_csv(
        index=False, sep="\t", lineterminator="\n"
    )


WRITERS = {"tsv": tabbed, "txt": fasttext, "jsonl": jsonl, "csv": csv, "tab": tsv}
PACKERS = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}


def taken(source):
    return [(label, text) for label, text, _ in source]


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("suffix", WRITERS)
def test_rows_come_back_from_every_format_packed_or_not(tmp_path, suffix, packer, end, mark):
    path = tmp_path / f"data.{suffix}{packer}"
    path.write_bytes(PACKERS[packer](mark + WRITERS[suffix](ROWS).replace("\n", end).encode()))
    assert list(read(path)) == TRIPLES
    assert list(read(str(path), labelled=False)) == [(None, text, 1.0) for _, text in ROWS]


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_last_line_needs_no_end(tmp_path, suffix):
    path = tmp_path / f"data.{suffix}"
    path.write_text(WRITERS[suffix](ROWS[:3]).rstrip("\n"), encoding="utf-8")
    assert taken(read(path)) == ROWS[:3]


words = st.text(st.characters(exclude_characters="\0\r\n\t\x1f", exclude_categories=["Cs", "Cc"]), min_size=1)
prose = words.map(lambda text: f"text {text}")


@given(
    rows=st.lists(st.tuples(st.sampled_from(["a", "β", "long label"]), prose), min_size=1),
    suffix=st.sampled_from([*WRITERS]),
)
def test_what_is_written_comes_back(tmp_path_factory, rows, suffix):
    rows = [(label.replace(" ", "_"), " ".join(text.split())) for label, text in rows]
    path = tmp_path_factory.mktemp("law") / f"data.{suffix}"
    path.write_bytes(WRITERS[suffix](rows).encode())
    assert taken(read(path)) == rows
    assert [text for _, text, _ in read(path, labelled=False)] == [text for _, text in rows]


@given(st.binary(max_size=300), st.sampled_from(["tabbed", "fasttext", "lines", "jsonl"]), st.booleans())
def test_any_bytes_are_read_or_refused(data, form, labelled):
    try:
        rows = list(read(io.BytesIO(data), format=form, labelled=labelled, text="text" if form == "jsonl" else None))
    except InputError:
        return
    assert all(isinstance(text, str) and (label is None) != labelled for label, text, _ in rows)


@given(st.lists(words, min_size=1), st.randoms())
def test_a_stream_may_come_in_any_pieces(lines, random):
    class Pieces(io.BytesIO):
        def read(self, size=-1):
            return super().read(random.randint(1, 3))

    data = "\n".join(lines).encode("utf-8", "replace")
    whole = list(read(io.BytesIO(b"x\n" + data), format="lines", labelled=False, encoding="utf-8"))
    assert list(read(Pieces(b"x\n" + data), format="lines", labelled=False, encoding="utf-8")) == whole


def test_lines_longer_than_a_block_stay_whole(tmp_path):
    rows = [("a", "x" * 3_000_000), ("b", "y"), ("a", "z " * 700_000 + "z")]
    (tmp_path / "long.tsv").write_text(tabbed(rows))
    assert taken(read(tmp_path / "long.tsv")) == rows
    (tmp_path / "long.txt").write_text("x" * 3_000_000)
    assert taken(read(tmp_path / "long.txt", labelled=False)) == [(None, "x" * 3_000_000)]


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "big.tsv"
    with path.open("w") as file:
        for _ in range(50):
            file.write(tabbed([("spam", "many words " * 90), ("ham", "and others " * 90)] * 500))
    code = textwrap.dedent(f"""
        import resource
        from plainbayes.sources import read
        next(read({str(path)!r}))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        source = read({str(path)!r})
        rows = sum(1 for _ in source)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(rows, grown, source.bytes_read == source.total_bytes)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rows, grown, whole = done.stdout.split()
    assert (int(rows), whole) == (50_000, "True")
    assert int(grown) < 10_000


def test_a_cold_start_imports_nothing_heavy(tmp_path):
    (tmp_path / "a.tsv").write_text(tabbed(ROWS), encoding="utf-8")
    code = textwrap.dedent(f"""
        import sys, plainbayes
        before = set(sys.modules)
        from plainbayes.sources import read
        list(read({str(tmp_path / "a.tsv")!r}))
        print({{"numpy", "re", "typing", "pathlib", "duckdb", "json"}} & (set(sys.modules) - before))
    """)
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=path_env()
    )
    assert done.stdout.strip() == "set()"


def path_env():
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.mark.parametrize("suffix", ["tsv", "csv"])
@pytest.mark.parametrize("name", CHARSETS)
def test_a_charset_is_found_or_declared(tmp_path, name, suffix):
    rows = [("a", text) for text in CHARSETS[name] * 3]
    path = tmp_path / f"data.{suffix}"
    path.write_bytes(WRITERS[suffix](rows).encode(name))
    declared = read(path, encoding=name)
    assert taken(declared) == rows
    found = read(path)
    assert taken(found) == rows
    assert found.encoding != "utf-8"
    assert found.replaced == 0


@pytest.mark.parametrize(
    "name", ["utf-16", "utf-16-le", "utf-16-be", "UTF_16LE", "latin-1", "utf-8-sig", "cp932", "cp949"]
)
def test_charsets_go_by_the_names_python_has_for_them(tmp_path, name):
    rows = [("a", "plain words"), ("b", "été" if name == "latin-1" else "words")]
    (tmp_path / "a.tsv").write_bytes(tabbed(rows).encode(name))
    assert taken(read(tmp_path / "a.tsv", encoding=name)) == rows


@pytest.mark.parametrize(("name", "text"), [("cp936", CHINESE[0]), ("cp950", TAIWANESE[0])])
def test_code_pages_of_chinese_are_known(tmp_path, name, text):
    (tmp_path / "a.tsv").write_bytes(f"x\t{text}\n".encode(name))
    assert taken(read(tmp_path / "a.tsv", encoding=name)) == [("x", text)]


def test_utf_16_is_known_by_its_mark(tmp_path):
    (tmp_path / "a.tsv").write_bytes(tabbed(ROWS).encode("utf-16"))
    source = read(tmp_path / "a.tsv")
    assert taken(source) == ROWS
    assert source.encoding == "utf-16le"


def test_a_charset_may_show_after_a_megabyte_of_ascii(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"a\tplain words\n" * 100_000 + tabbed([("b", CYRILLIC[0])]).encode("koi8-r"))
    source = read(tmp_path / "a.tsv")
    *_, last = source
    assert last == ("b", CYRILLIC[0], 1.0)
    assert source.encoding.startswith("koi8")


def test_a_few_broken_characters_do_not_make_another_charset(tmp_path):
    (tmp_path / "a.tsv").write_bytes(tabbed(("a", text) for text in CYRILLIC).encode() + b"b\tcut \xd0 here\n")
    source = read(tmp_path / "a.tsv")
    assert taken(source)[-1] == ("b", "cut � here")
    assert source.encoding == "utf-8"


def test_what_a_charset_cannot_say_is_replaced_and_counted(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"a\t\x82\xa0\xff\x82\xa2\n")
    source = read(tmp_path / "a.tsv", encoding="shift-jis")
    assert taken(source) == [("a", "あ�い")]
    assert source.replaced == 1


def test_broken_characters_in_csv_are_replaced_and_counted(tmp_path):
    (tmp_path / "a.csv").write_bytes(csv(ROWS).encode() + b"ham,cut \xd0 here\n")
    source = read(tmp_path / "a.csv")
    assert taken(source) == [*ROWS, ("ham", "cut � here")]
    assert source.replaced == 1


def test_broken_characters_in_json_are_replaced(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(
        '{"text": "привет", "label": "ham"}\n'.encode() + b'{"text": "cut \xd0 here", "label": "ham"}\n'
    )
    assert taken(read(tmp_path / "a.jsonl"))[-1] == ("ham", "cut � here")


def test_zstd_may_have_many_frames_and_some_to_skip(tmp_path):
    frames = [zstandard.compress(tabbed([row]).encode()) for row in ROWS]
    skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    (tmp_path / "a.tsv.zst").write_bytes(skipped + skipped.join(frames))
    assert taken(read(tmp_path / "a.tsv.zst")) == ROWS


def test_gzip_may_have_many_members_and_any_name(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"".join(gzip.compress(tabbed([row]).encode()) for row in ROWS))
    source = read(tmp_path / "a.bin")
    assert taken(source) == ROWS
    assert source.bytes_read == source.total_bytes


def test_packed_csv_needs_no_name_that_says_so(tmp_path):
    (tmp_path / "a.csv").write_bytes(gzip.compress(csv(ROWS).encode()))
    assert taken(read(tmp_path / "a.csv")) == ROWS
    (tmp_path / "b.csv.zstd").write_bytes(zstandard.compress(csv(ROWS).encode()))
    assert taken(read(tmp_path / "b.csv.zstd")) == ROWS


@pytest.mark.parametrize("suffix", ["tsv.gz", "tsv.zst"])
def test_a_packed_file_that_is_cut_is_refused(tmp_path, suffix):
    packed = PACKERS[suffix[3:]](tabbed(ROWS).encode())
    (tmp_path / f"a.{suffix}").write_bytes(packed[:-6])
    with pytest.raises(InputError, match="is damaged"):
        list(read(tmp_path / f"a.{suffix}"))


def test_a_wrong_checksum_is_refused(tmp_path):
    packed = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(tabbed(ROWS).encode()))
    packed[-1] ^= 1
    (tmp_path / "a.tsv.zst").write_bytes(packed)
    with pytest.raises(InputError, match=r"is damaged: .* checksum"):
        list(read(tmp_path / "a.tsv.zst"))


def test_the_first_of_several_labels_counts(tmp_path):
    (tmp_path / "a.txt").write_text(
        "__label__a __label__b one two\n__label__b\tthree\n__label__c\nno label\n__label__ x\n"
    )
    source = read(tmp_path / "a.txt")
    assert taken(source) == [("a", "one two"), ("b", "three"), ("c", "")]
    assert source.skipped == 2
    judged = [text for _, text, _ in read(tmp_path / "a.txt", labelled=False)]
    assert judged == ["one two", "three", "", "no label", "x"]


def test_rows_without_label_are_counted_or_refused(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("a\tx\n\n\ttext\n  \nno tab\nb\ty\tz\n")
    source = read(path)
    assert taken(source) == [("a", "x"), ("b", "y\tz")]
    assert (source.skipped, source.rows) == (2, 2)
    with pytest.raises(InputError, match=r"a label was expected, got none in line 3 of .*a\.tsv"):
        list(read(path, strict=True))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_columns_without_label_or_text_are_counted_or_refused(tmp_path, suffix):
    frame = pl.DataFrame({"text": ["x", "y", None, ""], "label": ["a", None, "b", "c"]})
    path = tmp_path / f"a.{suffix}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[suffix](path)
    source = read(path)
    # Nothing between two commas is an empty text.
    assert taken(source) == ([("a", "x"), ("b", ""), ("c", "")] if suffix == "csv" else [("a", "x"), ("c", "")])
    assert source.skipped == (1 if suffix == "csv" else 2)
    assert [text for _, text, _ in read(path, labelled=False)] == ["x", "y", "", ""]
    with pytest.raises(InputError, match=r"a label was expected, got none in (row|line) 2 of"):
        list(read(path, strict=True))


def test_a_text_that_is_missing_is_refused_if_strict(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "x", "label": 1}\n{"label": 2}\n')
    with pytest.raises(InputError, match=r"a text was expected, got none in line 2"):
        list(read(tmp_path / "a.jsonl", strict=True))


def test_json_values_are_labels_as_they_are_written(tmp_path):
    values = ['"ham"', "5", "-5", "1.5", "true", '"\\u0441\\u043f\\u0430\\u043c"', "18446744073709551615"]
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "a \\"b\\"", "label": {value}}}\n' for value in values))
    labels = ["ham", "5", "-5", "1.5", "true", "спам", "18446744073709551615"]
    assert taken(read(tmp_path / "a.jsonl")) == [(label, 'a "b"') for label in labels]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "x", "label": }', "line 2 of .* is not JSON from column 24 on"),
        ("[1]", "line 2 of .* invalid type: sequence, expected an object"),
        ('{"text": ["x"], "label": 1}', 'line 2 of .* invalid type: sequence, expected text or a number for "text"'),
        ('{"text": "x"} x', "line 2 of .* is not JSON from column 15 on"),
        ('{"text": "x', "line 2 of .* is not JSON"),
    ],
)
def test_a_line_that_is_no_json_object_is_refused_by_number(tmp_path, line, message):
    (tmp_path / "a.jsonl").write_text(f'{{"text": "x", "label": 1}}\n{line}\n')
    with pytest.raises(InputError, match=message) as error:
        list(read(tmp_path / "a.jsonl"))
    assert error.value.hint == "JSONL has one object a line"


def test_keys_and_columns_are_found_by_name_or_named(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"Review": "fine", "stars": 5, "author": "me"}\n')
    assert taken(read(tmp_path / "a.jsonl", label="stars")) == [("5", "fine")]
    assert taken(read(tmp_path / "a.jsonl", "author", "Review")) == [("fine", "me")]
    with pytest.raises(InputError, match=r"a column of labels was expected in .*, got 'Review', 'stars', 'author'"):
        read(tmp_path / "a.jsonl")
    with pytest.raises(InputError, match="no column 'nonsense' in") as error:
        read(tmp_path / "a.jsonl", "nonsense")
    assert error.value.hint == "there are 'Review', 'stars', 'author'"
    assert taken(read(io.StringIO('{"text": "fine", "label": 5}\n'))) == [("5", "fine")]
    (tmp_path / "b.csv").write_text("x,y,z\n1,2,3\n")
    with pytest.raises(InputError, match="a column of texts was expected"):
        read(tmp_path / "b.csv")
    with pytest.raises(InputError, match="no column 'label' in"):
        read(tmp_path / "b.csv", label="label")


def test_without_a_known_name_the_column_of_prose_is_the_text(tmp_path):
    (tmp_path / "a.csv").write_text("who,said,where\nme,some words of mine,a\nyou,other words of yours,b\n")
    assert taken(read(tmp_path / "a.csv", label="who"))[0] == ("me", "some words of mine")
    (tmp_path / "b.csv").write_text("verdict;said\ngood;some words of mine\nbad;other words of yours\n")
    assert taken(read(tmp_path / "b.csv")) == [("good", "some words of mine"), ("bad", "other words of yours")]


def test_csv_may_lack_a_header_and_have_one_column(tmp_path):
    (tmp_path / "a.csv").write_text("ham,see you\nspam,buy pills now\nham,at noon\n")
    assert taken(read(tmp_path / "a.csv", "column1", "column0")) == [
        ("ham", "see you"),
        ("spam", "buy pills now"),
        ("ham", "at noon"),
    ]
    (tmp_path / "b.csv").write_text("ham,we will see you at noon\nspam,you can buy pills right now\n")
    assert taken(read(tmp_path / "b.csv"))[0] == ("ham", "we will see you at noon")
    (tmp_path / "c.csv").write_text('text\none, two\n"three ""four"""\n')
    assert [text for _, text, _ in read(tmp_path / "c.csv", labelled=False)] == ["one, two", 'three "four"']
    (tmp_path / "d.csv").write_text("\n")
    with pytest.raises(InputError, match="is empty"):
        read(tmp_path / "d.csv")


def test_a_csv_line_with_too_many_cells_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("label,text\nspam,buy\nham,see, you\n")
    with pytest.raises(InputError, match=r"CSV Error on Line: 3, Expected Number of Columns: 2 Found: 3$"):
        read(tmp_path / "a.csv")
    with (tmp_path / "b.csv").open("w") as file:
        file.write("label,text\n" + "spam,buy pills\n" * 500_000 + "ham,see, you\n")
    with pytest.raises(InputError, match=r"CSV Error on Line: 500002, Expected Number of Columns: 2 Found: 3$"):
        list(read(tmp_path / "b.csv"))


def test_csv_files_read_together_must_be_alike(tmp_path):
    (tmp_path / "a.csv").write_text(csv(ROWS[:2]), encoding="utf-8")
    (tmp_path / "b.csv").write_text(csv(ROWS[2:]), encoding="utf-8")
    assert taken(read(f"{tmp_path}/*.csv")) == ROWS
    (tmp_path / "c.csv").write_text("text,label\nx,y\n")
    with pytest.raises(InputError, match=r"the columns of .*a\.csv were expected in .*c\.csv"):
        read(f"{tmp_path}/*.csv")


def test_what_is_no_parquet_is_refused(tmp_path):
    (tmp_path / "a.parquet").write_text("label,text\nx,y\n")
    with pytest.raises(InputError, match="Parquet was expected: "):
        read(tmp_path / "a.parquet")


def test_tables_name_the_extra_that_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "a.csv").write_text(csv(ROWS), encoding="utf-8")
    with pytest.raises(InputError, match="CSV files are read by duckdb, which is not installed") as error:
        read(tmp_path / "a.csv")
    assert error.value.hint == "pip install 'plainbayes[tables]'"


def test_a_header_of_label_and_text_needs_no_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "a.tsv").write_text("Label\tText\nspam\tbuy\n")
    assert taken(read(tmp_path / "a.tsv")) == [("spam", "buy")]
    (tmp_path / "b.tsv").write_text('Label\tText\nspam\t"buy"\n')
    with pytest.raises(InputError, match="duckdb"):
        read(tmp_path / "b.tsv")


def test_judging_leaves_out_what_looks_like_labels(tmp_path):
    def judged(name, text):
        (tmp_path / name).write_text(text)
        return [text for _, text, _ in read(tmp_path / name, labelled=False)]

    assert judged("a.tsv", "spam\tbuy\n") == ["buy"]
    assert judged("b", "not spam\tbuy\nnot spam\tx\n") == ["buy", "x"]
    assert judged("c.tsv", "a sentence\tand more\nanother one\tand more\n") == [
        "a sentence\tand more",
        "another one\tand more",
    ]
    assert judged("d.tsv", "spam\tbuy\n\nno tab\n") == ["spam\tbuy", "", "no tab"]
    assert judged("e.txt", "spam\tbuy\n\n") == ["spam\tbuy", ""]
    assert judged("f.tsv", "id\ttext\n1\tbuy\n") == ["buy"]
    assert judged("i.tsv", "a\ttext\n") == ["text"]
    assert judged("g", "one\ntwo") == ["one", "two"]
    assert judged("h", "\n\n") == ["", ""]
    assert are_labels(["a b", "a b"]) and not are_labels(["a b", "c d"]) and not are_labels([""])
    assert not is_prose([])


def test_a_folder_has_a_sub_folder_for_each_class(tmp_path):
    for label, name, text in [("ham", "1.txt", "see\nyou"), ("ham", "deep/2", "noon"), ("spam", "1.txt.gz", "buy")]:
        path = tmp_path / label / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    (tmp_path / "README").write_text("not a text of any class")
    (tmp_path / "spam" / ".hidden").write_bytes(b"\0")
    (tmp_path / "spam" / "empty").write_text("")
    rows = [("ham", "see\nyou"), ("ham", "noon"), ("spam", "buy"), ("spam", "")]
    assert taken(read(tmp_path)) == taken(read(f"{tmp_path}/")) == rows
    assert [text for _, text, _ in read(tmp_path, labelled=False)] == [text for _, text in rows]
    assert taken(read(f"{tmp_path}/spam/*.gz", format="folder")) == [("spam", "buy")]
    assert columns(tmp_path).kind == "text"


def test_the_name_of_a_file_may_carry_the_class(tmp_path):
    for name, text in [("ham1.txt", "see you"), ("spam-2.txt", "buy"), ("0.txt", "what")]:
        (tmp_path / name).write_text(text)
    source = read(tmp_path, label_from="^[a-z]+")
    assert taken(source) == [("ham", "see you"), ("spam", "buy")]
    assert source.skipped == 1
    assert taken(read(f"{tmp_path}/*m*.txt", label_from="(.)m")) == [("a", "see you"), ("a", "buy")]
    with pytest.raises(InputError, match=r"a label was expected, got none in .*0\.txt"):
        list(read(tmp_path, label_from="^[a-z]+", strict=True))
    with pytest.raises(InputError, match="label_from must be a regular expression"):
        read(tmp_path, label_from="(")
    with pytest.raises(InputError, match="a sub-folder for each class was expected") as error:
        read(tmp_path)
    assert "label_from" in error.value.hint
    assert [text for _, text, _ in read(tmp_path, labelled=False)] == ["what", "see you", "buy"]


def test_a_folder_may_hold_files_of_rows(tmp_path):
    (tmp_path / "1.tsv").write_text(tabbed(ROWS[:2]), encoding="utf-8")
    (tmp_path / "2.tsv.gz").write_bytes(gzip.compress(tabbed(ROWS[2:]).encode()))
    assert taken(read(tmp_path)) == ROWS


def test_several_files_follow_one_another(tmp_path):
    (tmp_path / "a.tsv").write_text(tabbed(ROWS[:1]))
    (tmp_path / "b.tsv").write_text("")
    (tmp_path / "c.jsonl").write_bytes(jsonl(ROWS[1:3]).encode() + b'{"text": "x"}\n')
    (tmp_path / "d.tsv").write_bytes(tabbed([("ham", CYRILLIC[0])]).encode("koi8-r"))
    source = read([tmp_path / "a.tsv", tmp_path / "b.tsv", f"{tmp_path}/c*", tmp_path / "d.tsv"][::2])
    assert taken(source) == ROWS[:3]
    assert (source.skipped, source.bytes_read) == (1, source.total_bytes)
    assert taken(read(f"{tmp_path}/*.tsv")) == [ROWS[0], ("ham", CYRILLIC[0])]
    source = read([tmp_path / "c.jsonl", tmp_path / "d.tsv"])
    assert taken(source)[2:] == [("ham", CYRILLIC[0])]
    assert source.encoding.startswith("koi8")
    (tmp_path / "e.tsv").write_bytes(b"\0")
    with pytest.raises(InputError, match="binary"):
        list(read(f"{tmp_path}/[ae].tsv"))


def test_a_chain_passes_on_what_was_raised(tmp_path):
    def broken():
        yield "fine"
        raise KeyError("mine")

    chain = Source.chain([texts(["a"]), texts(broken())])
    assert next(chain) == (None, "a", 1.0)
    assert chain.total_bytes is None
    with pytest.raises(KeyError, match="mine"):
        list(chain)
    assert list(chain) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.tsv", None, r"a file was expected, but there is no .*missing\.tsv"),
        ("*.tsv", None, r"a file was expected, but there is no .*\*\.tsv"),
        ("empty.tsv", b"", "texts were expected, but .* is empty"),
        ("blank.tsv", b"\n \n", "texts were expected, but .* is empty"),
        ("mark.tsv", codecs.BOM_UTF8, "texts were expected, but .* is empty"),
        ("a.tsv", b"one\ntwo\n", "labels were expected, but .* has none"),
        ("a.bin", b"\x7fELF\0\0", "text was expected, got a binary file"),
        ("a.png", b"\x89PNG\r\n\x1a\n\x01\x02\x03\x04", "text was expected, got a binary file"),
        ("a.zip", b"PK\x03\x04", "text was expected, got a binary file"),
        ("a.dat", b"PAR1", "text was expected, got a binary file"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path / name)


def test_what_is_wrong_with_the_call_is_said(tmp_path):
    with pytest.raises(InputError, match="there is no file in"):
        read(tmp_path)
    with pytest.raises(InputError, match="a file was expected, got an empty list"):
        read([])
    with pytest.raises(InputError, match="a format was expected, got 'xls'"):
        read("x", format="xls")
    with pytest.raises(InputError, match='a charset was expected, got encoding="klingon"'):
        read(__file__, encoding="klingon")
    with pytest.raises(InputError, match="parquet is not read from a stream"):
        read(io.BytesIO(), format="parquet")
    with pytest.raises(InputError, match="cannot be read: "):
        read("x" * 5000)
    with pytest.raises(InputError, match=r"there is no .*nothing"):
        Reader([str(tmp_path / "nothing")])


def test_a_file_may_vanish_before_it_is_read(tmp_path):
    for label in "ab":
        (tmp_path / label).mkdir()
        (tmp_path / label / "1").write_text("x")
    source = read(tmp_path)
    (tmp_path / "b" / "1").unlink()
    with pytest.raises(InputError, match="there is no"):
        list(source)


def test_a_reader_gives_its_bytes_once(tmp_path):
    (tmp_path / "a.tsv").write_text("a\tb\n")
    reader = Reader([str(tmp_path / "a.tsv")])
    with pytest.raises(ValueError, match="no format of lines: nonsense"):
        reader.rows("nonsense")
    assert taken(reader.rows("tabbed")) == [("a", "b")]
    assert reader.head == b""
    with pytest.raises(ValueError, match="given away"):
        reader.rows("tabbed")
    with pytest.raises(ValueError, match="given away"):
        reader.is_plain(False)


def test_a_copy_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "a.tsv").write_text("a\tb\n")
    with pytest.raises(InputError, match="cannot be written"):
        Reader([str(tmp_path / "a.tsv")]).copy(str(tmp_path / "no" / "folder"))


def test_open_files_are_read_as_bytes_or_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv(ROWS), encoding="utf-8")
    with path.open("rb") as file:
        assert taken(read(file)) == ROWS
    with path.open(encoding="utf-8") as file:
        assert taken(read(file)) == ROWS
    assert taken(read(io.StringIO(tabbed(ROWS)))) == ROWS


def test_what_an_open_file_raises_comes_through():
    class Broken:
        def read(self, size):
            raise OSError("gone")

    class Odd:
        def read(self, size):
            return 5

    class Late(io.BytesIO):
        def read(self, size=-1):
            if self.tell():
                raise OSError("gone")
            return super().read(4)

    for file, error in [(Broken(), "gone"), (Late(b"a\tb\n" * 9), "gone")]:
        with pytest.raises(OSError, match=error):
            list(read(file, format="tabbed"))
    with pytest.raises(TypeError, match="neither bytes nor text"):
        read(Odd())


def stdin(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_dash_is_stdin(monkeypatch):
    stdin(monkeypatch, tabbed(ROWS).encode())
    assert taken(read("-")) == ROWS
    stdin(monkeypatch, tabbed(ROWS[:2]).encode())
    assert [text for _, text, _ in read("-", labelled=False)] == ["buy pills now, please", "see you"]
    stdin(monkeypatch, tabbed(ROWS[:2]).encode())
    lines = read("-", labelled=False, format="lines")
    assert [text for _, text, _ in lines] == ["spam\tbuy pills now, please", "ham\tsee you"]
    stdin(monkeypatch, b"")
    assert list(read("-", labelled=False, format="lines")) == []
    assert columns("-").kind == "text"
    monkeypatch.setattr(sys, "stdin", io.StringIO("typed\n"))
    assert taken(read("-", labelled=False)) == [(None, "typed")]
    stdin(monkeypatch, b"label,text\nspam,buy pills\n")
    assert taken(read("-")) == [("spam", "buy pills")]


def test_a_line_typed_is_answered_before_the_next():
    code = "from plainbayes.sources import read\nfor row in read('-', labelled=False, format='lines'):"
    code += " print(row[1], flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        for line in ("one\n", "two\n"):
            run.stdin.write(line)
            run.stdin.flush()
            assert run.stdout.readline() == line
        run.stdin.close()


TEXTS, LABELS = [text for _, text in ROWS], [label for label, _ in ROWS]
HOLDERS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "numpy": np.array,
    "numpy objects": lambda things: np.array(things, dtype=object),
    "pandas": pd.Series,
    "pandas objects": lambda things: pd.Series(things, dtype=object),
    "pandas arrow": lambda things: pd.Series(things, dtype="string[pyarrow]"),
    "pandas category": lambda things: pd.Series(things, dtype="category"),
    "polars": pl.Series,
    "polars categorical": lambda things: pl.Series(things, dtype=pl.Categorical),
    "polars enum": lambda things: pl.Series(things, dtype=pl.Enum(sorted(set(things)))),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda things: pa.chunked_array([things[:1], [], things[1:]]),
    "pyarrow slice": lambda things: pa.array(["x", *things, "y"]).slice(1, len(things)),
    "large_string": lambda things: pa.array(things, pa.large_string()),
    "string_view": lambda things: pa.array(things, pa.string_view()),
    "string_view slice": lambda things: pa.array(["x" * 20, *things], pa.string_view()).slice(1),
    "binary": lambda things: pa.array([thing.encode() for thing in things]),
    "dictionary": lambda things: pa.array(things).dictionary_encode(),
    "dictionary of bytes": lambda things: pa.DictionaryArray.from_arrays(
        pa.array([200 + place for place in range(len(things))], pa.uint8()), ["x"] * 200 + list(things)
    ),
    "one column": lambda things: pa.table({"x": things}),
}


# A table of one column is no sequence of Python's: it goes with its like.
PAIRS = [(a, b) for a in HOLDERS for b in HOLDERS if a == b or "one column" not in (a, b)]


@pytest.mark.parametrize(("text", "label"), PAIRS)
def test_texts_and_labels_come_from_anything_that_holds_them(text, label):
    assert list(texts(HOLDERS[text](TEXTS), HOLDERS[label](LABELS))) == TRIPLES
    assert list(texts(HOLDERS[text](TEXTS))) == [(None, text, 1.0) for text in TEXTS]


@given(st.lists(st.text(), min_size=1), st.sampled_from([*HOLDERS]))
def test_any_text_comes_back_from_any_holder(things, holder):
    things = [thing.rstrip("\0") for thing in things]
    assert [text for _, text, _ in texts(HOLDERS[holder](things))] == things


@pytest.mark.parametrize("holder", ["list", "numpy", "pandas", "polars", "pyarrow", "generator"])
@pytest.mark.parametrize("labels", [[1, 2, 3, 1], [True, False, True, True], [0.5, 1.0, 2.0, 1e300]])
def test_labels_keep_their_type(holder, labels):
    source = texts(TEXTS, HOLDERS[holder](labels))
    found = [label for label, _, _ in source]
    assert found == labels
    assert [type(label) for label in found] == [type(label) for label in labels] or holder == "pandas"
    assert source.labels == {encoded(label): label for label in labels}


def test_equal_labels_have_the_same_name_and_others_do_not():
    labels = [
        1,
        True,
        1.0,
        "1",
        "\x001",
        (1, "a"),
        (True, "a"),
        (1, ("b", 2.0)),
        "(1, 'a')",
        0.5,
        float("inf"),
    ]
    for one, other in itertools.product(labels, repeat=2):
        assert (encoded(one) == encoded(other)) == (one == other)
    assert encoded(np.int64(1)) == encoded(np.float32(1)) == encoded(np.True_) == encoded(1)
    assert [label for label, _, _ in texts(["t"] * len(labels), labels)] == labels


def test_a_text_may_be_alone_and_weigh_what_it_likes():
    assert list(texts("buy", "spam")) == [("spam", "buy", 1.0)]
    assert list(texts("buy", "spam", 2)) == [("spam", "buy", 2.0)]
    assert list(texts("buy", 5, [0.5])) == [(5, "buy", 0.5)]
    assert list(texts("buy")) == [(None, "buy", 1.0)]
    assert list(texts([])) == []
    weights = np.array([1, 2, 0.5, 0])
    assert [weight for _, _, weight in texts(TEXTS, LABELS, weights)] == weights.tolist()
    assert [weight for _, _, weight in texts(TEXTS, LABELS, pl.Series(weights))] == weights.tolist()


def test_more_texts_than_a_slice_come_in_order():
    many = [f"text {place}" for place in range(10_000)]
    assert [text for _, text, _ in texts(iter(many), (str(place % 7) for place in range(10_000)))] == many
    assert [text for _, text, _ in texts(np.array(many))] == many
    long = ["x" * 400_000] * 7
    assert [text for _, text, _ in texts(long)] == long


def test_half_a_surrogate_pair_is_replaced():
    assert [text for _, text, _ in texts(["a \ud800 b"])] == ["a ��� b"]


@pytest.mark.parametrize(
    ("things", "labels", "message"),
    [
        (5, None, "texts were expected, got 5"),
        (["a"], 5, "labels were expected, got 5"),
        (["a", "b"], "ab", "one label per row was expected, got the text 'ab'"),
        ([None], None, "a text was expected, got None in row 0"),
        (["fine", b"x"], None, "a text was expected, got b'x' in row 1"),
        (["fine", 5], None, "a text was expected, got 5 in row 1"),
        ([float("nan")], None, "a text was expected, got nan in row 0"),
        (pa.array([1, 2]), None, "a text was expected, got 1 in row 0"),
        (pd.Series(["a", 5], dtype=object), None, "a text was expected, got 5 in row 1"),
        (np.array([["a"]]), None, "a column was expected, got 2 dimensions"),
        (["a", "b"], ["x"], "one label per row was expected, got 1 for 2 rows"),
        (iter(["a", "b"]), ["x"], "one label per row was expected, got 1 for more than 1 rows"),
        (["a"], iter(["x", "y"]), "one label per row was expected, got more than 1 for 1 rows"),
        (["a", "b"], ["x", None], "a label was expected, got None in row 1"),
        (["a", "b"], ["x", float("nan")], "a label was expected, got NaN in row 1"),
        (["a", "b"], pa.array(["x", None]), "a label was expected, got None in row 1"),
        (["a"], [["x"]], r"labels must be text, numbers or tuples, got \['x'\] in row 0"),
    ],
)
def test_what_is_no_text_or_label_is_refused_by_row(things, labels, message):
    with pytest.raises(InputError, match=message):
        list(texts(things, labels))


def test_weights_are_numbers_one_for_each_text():
    with pytest.raises(InputError, match="a weight was expected, got 'x' in row 1"):
        list(texts(["a", "b"], None, [1, "x"]))
    with pytest.raises(InputError, match="one weight per row was expected, got 1 for 2 rows"):
        texts(["a", "b"], None, [1])


def test_bytes_are_refused_with_what_to_do_about_them():
    with pytest.raises(InputError) as error:
        list(texts([b"x"]))
    assert error.value.hint == "decode it first: text.decode()"


def test_what_cannot_even_be_shown_is_refused():
    class Odd:
        def __repr__(self):
            raise ValueError

    with pytest.raises(InputError, match="a text was expected, got something in row 0"):
        list(texts([Odd()]))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_are_read_by_column(frame):
    table = frame({"text": TEXTS, "label": [1, 2, 3, 4], "more": [0.5] * 4})
    assert taken(read(table)) == [(str(place + 1), text) for place, text in enumerate(TEXTS)]
    assert taken(read(table, label="more"))[0] == ("0.5", TEXTS[0])
    with pytest.raises(InputError, match='a column of texts was expected, got "label" of the table'):
        read(table, "label", "more")


def test_labels_of_a_table_may_be_numbers_of_any_kind():
    for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        table = pa.table({"text": ["a", "b", "c"], "label": pa.array([1, 100, None], kind)})
        source = read(table)
        assert taken(source) == [("1", "a"), ("100", "b")]
        assert source.skipped == 1
    for kind, values, names in [
        (pa.float32(), [0.5, 2.0], ["0.5", "2.0"]),
        (pa.float64(), [0.5, 2.0], ["0.5", "2.0"]),
        (pa.bool_(), [True, False], ["true", "false"]),
        (pa.null(), [None, None], []),
    ]:
        table = pa.table({"text": ["a", "b"], "label": pa.array(values, kind)})
        assert [label for label, _, _ in read(table)] == names
    with pytest.raises(InputError, match='a column of labels was expected, got "label"'):
        read(pa.table({"text": ["a"], "label": [[1]]}))
    nested = pa.DictionaryArray.from_arrays([0], pa.array([[1]]))
    with pytest.raises(InputError, match='a column of labels was expected, got "label"'):
        read(pa.table({"text": ["a"], "label": nested}))


def test_texts_that_are_null_are_judged_as_empty_and_teach_nothing():
    texts, labels = pa.array(["a b", None, "c"]), ["x", "y", "y"]
    assert len(TextClassifier().fit(["a", "c"], ["x", "y"]).predict(texts)) == 3
    model = TextClassifier().fit(texts, labels)
    assert model.learned == 2
    assert model.vocabulary == TextClassifier().fit(["a b", "c"], ["x", "y"]).vocabulary


def test_a_table_with_most_rows_skipped_is_read_to_its_end():
    count = 30_000
    table = pa.table({"text": ["many words " * 20] * count + ["last"], "label": [None] * count + ["x"]})
    source = read(table)
    assert taken(source) == [("x", "last")]
    assert source.skipped == count


def test_a_stream_that_fails_says_why():
    def batches():
        yield pa.record_batch({"text": ["a"], "label": ["x"]})
        raise ValueError("the disk is gone")

    schema = pa.schema({"text": pa.string(), "label": pa.string()})
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    source = Source.table(reader, ("text", "label"), True, False, "it", None)
    with pytest.raises(InputError, match="the disk is gone"):
        list(source)


def test_a_stream_is_read_once():
    reader = pa.RecordBatchReader.from_batches(pa.schema({"text": pa.string()}), [])

    class Again:
        def __init__(self):
            self.capsule = reader.__arrow_c_stream__()

        def __arrow_c_stream__(self):
            return self.capsule

    again = Again()
    assert list(Source.table(again, ("text", None), False, False, "it", None)) == []
    with pytest.raises(TypeError, match="read already"):
        Source.table(again, ("text", None), False, False, "it", None)
    with pytest.raises(TypeError, match="no Arrow table"):
        Source.table(5, ("text", None), False, False, "it", None)


def test_a_slice_of_a_table_is_read_from_its_start():
    batch = pa.record_batch({"text": ["a", "b", "c"], "label": ["x", "y", "z"]}).slice(1)
    struct = batch.to_struct_array()
    for thing in (batch, struct):
        assert taken(Source.table(thing, ("text", "label"), True, False, "it", None)) == [("y", "b"), ("z", "c")]


def test_columns_tell_what_would_be_read(tmp_path):
    def seen(name, content, **named):
        (tmp_path / name).write_text(content)
        found = columns(tmp_path / name, **named)
        return found.names, found.text, found.label, found.kind

    assert seen("a.tsv", tabbed(ROWS[:2])) == (["label", "text"], "text", "label", "text")
    assert seen("a.csv", "a,b,c\n1,2,3\n") == (["a", "b", "c"], None, None, "table")
    assert seen("b.csv", "a,label\n1,2\n3,4\n") == (["a", "label"], "a", "label", "table")
    assert seen("c.csv", "said,label\nsome words of mine,2\nand more of them,3\n")[1:] == ("said", "label", "text")
    assert seen("a.jsonl", '{"text": "x", "label": 1}\n{"more": 2}\n{')[0] == ["text", "label", "more"]
    assert seen("b.jsonl", "{\n")[0] == ["text", "label"]
    pl.DataFrame({"x": [1], "class": ["a"]}).write_parquet(tmp_path / "a.parquet")
    assert repr(columns(tmp_path / "a.parquet")) == "Columns(['x', 'class'], text='x', label='class', kind='table')"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_large_tables_stream(tmp_path, suffix):
    frame = pl.DataFrame({"text": ["some words " * 50] * 20_000, "label": ["a", "b"] * 10_000})
    path = tmp_path / f"a.{suffix}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet}[suffix](path)
    source = read(path)
    assert sum(1 for _ in source) == source.rows == 20_000
    assert source.total_bytes is None

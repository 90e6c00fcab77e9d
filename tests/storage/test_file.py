"""The model file: what is written is read; anything else is refused in a sentence, and the old model survives."""

import errno
import gc
import hashlib
import io
import json
import math
import os
import signal
import stat
import struct
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plainbayes
from plainbayes import InputError, _core
from plainbayes.storage import file

TYPES = {name: np.dtype(f"{name[0].lower()}{int(name[1:]) // 8}") for name in file.SIZES}
MODEL = {"counts": ("F64", (2, 2), struct.pack("4d", 1, 2, 3, 4)), "words": ("U8", (5,), b"a\nb\nc")}
SETTINGS = {"alpha": 1.0, "classes": ["спам", "ham"]}
KEPT = {"format-1": 0.9373701061340619, "format-2": 0.9373701061340619}  # what each kept file answers


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.bayes"


@pytest.fixture
def model(path):
    """A small model file."""
    file.write(path, SETTINGS, MODEL)
    return path


def contents(path):
    opened = file.open(path)
    return opened.metadata, {name: opened.tensor(name).tobytes() for name in opened.names}


def inside(folder):
    return sorted(entry.name for entry in folder.iterdir())


def whole(path):
    return contents(path) == (SETTINGS, {name: bytes(buffer) for name, (_, _, buffer) in MODEL.items()})


def refusal(path, **options):
    """The message with which a file is refused, not later than when its settings are read."""
    with pytest.raises(InputError) as caught:
        file.open(path, **options).metadata  # noqa: B018 - reading it is the test
    message = caught.value.message
    assert "\n" not in message and message[-1] != "." and caught.value.hint
    return message


def forged(header, data=b"", *, odd=0):
    """The bytes of a file with any header, checksums right: what somebody may make who means harm."""
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    text = text.replace(b"DATA", _core.checksum([data]).encode(), 1)
    text += b" " * (-len(text) % 8 + odd)
    text = len(text).to_bytes(8, "little") + text
    return text.replace(b"0" * 16, _core.checksum([text]).encode(), 1) + data


def ours(tables=None, **changes):
    """A header like those we write, with changes."""
    known = {"format": "plainbayes 1", "version": "0", "checksum": f"{'0' * 16} DATA", "plainbayes": "{}"} | changes
    return {"__metadata__": known, **(tables or {})}


def table(kind="U8", shape=(8,), offsets=(0, 8)):
    return {"dtype": kind, "shape": list(shape), "data_offsets": list(offsets)}


# What is written is read.


texts = st.text(st.characters(exclude_categories=()), max_size=8)
settings = st.dictionaries(
    texts,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    ),
    max_size=4,
)


@st.composite
def tensors(draw):
    kind = draw(st.sampled_from(sorted(file.SIZES)))
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    return kind, shape, draw(st.randoms()).randbytes(file.SIZES[kind] * math.prod(shape))


names = st.text(st.characters(exclude_categories=("Cs",)), max_size=6).filter(lambda name: name != "__metadata__")


@given(settings, st.dictionaries(names, tensors(), max_size=5))
def test_whatever_is_written_is_read(tmp_path_factory, metadata, tables):
    path = tmp_path_factory.mktemp("law") / "any.bayes"
    file.write(path, metadata, tables)
    opened = file.open(path, verify=True)
    assert opened.metadata == metadata
    assert opened.metadata is opened.metadata
    assert opened.names == sorted(tables)
    assert opened.size == path.stat().st_size and opened.path == str(path)
    for name, (kind, shape, data) in tables.items():
        view = opened.tensor(name)
        array = np.asarray(view)
        assert view.readonly and view.shape == shape and view.nbytes == len(data)
        assert array.dtype == TYPES[kind] and array.shape == shape and array.tobytes() == data
        place = array.__array_interface__["data"][0]
        assert place % math.gcd(len(data), 64) == 0 or not len(data)
    assert inside(path.parent) == ["any.bayes"]


@given(st.dictionaries(names, tensors(), max_size=5))
def test_any_safetensors_reader_reads_it(tmp_path_factory, tables):
    numpy = pytest.importorskip("safetensors.numpy")
    path = tmp_path_factory.mktemp("law") / "any.bayes"
    file.write(path, {}, tables)
    read = numpy.load_file(path)
    assert {name: (array.dtype, array.shape, array.tobytes()) for name, array in read.items()} == {
        name: (TYPES[kind], shape, data) for name, (kind, shape, data) in tables.items()
    }


def test_arrays_are_written_as_they_are_and_read_without_a_copy(path):
    counts = np.arange(12, dtype=np.float64).reshape(3, 4)
    file.write(path, {}, {"counts": ("F64", counts.shape, counts)})
    array = np.asarray(file.open(path).tensor("counts"))
    assert (array == counts).all() and not array.flags.owndata and not array.flags.writeable


def test_a_table_outlives_the_file_it_came_from(model):
    view = file.open(model).tensor("words")
    file.write(model, {}, {})
    model.unlink()
    gc.collect()
    assert bytes(view) == b"a\nb\nc"


def test_a_table_is_lent_as_plain_bytes_too_but_never_to_write(model):
    lender = file.open(model).tensor("counts").obj
    assert hashlib.sha256(lender).digest() == hashlib.sha256(MODEL["counts"][2]).digest()
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(b"x" * 32).readinto(lender)
    with pytest.raises(TypeError):
        file.open(model).tensor("counts")[0, 0] = 1


def test_the_checksum_is_xxh3_of_the_hashes_of_blocks(monkeypatch):
    """Known answers: XXH3-64 of nothing, as its own tests have it; blocks count, threads do not."""
    assert _core.checksum([]) == "2d06800538d394c2"
    parts = [os.urandom(9 << 20), b"", os.urandom(5 << 20)]
    monkeypatch.setenv("PLAINBAYES_THREADS", "1")
    alone = _core.checksum(parts)
    monkeypatch.setenv("PLAINBAYES_THREADS", "3")
    assert _core.checksum(parts) == alone != _core.checksum(parts[::-1])


@given(settings)
def test_plain_settings_are_written_and_read_as_by_pythons_json(value):
    try:
        text = _core.dumps(value)
    except UnicodeEncodeError:  # half a character
        return
    assert text == json.dumps(value, separators=(",", ":"))
    assert _core.loads(text) == json.loads(text) == value
    assert _core.loads(json.dumps(value, indent=1)) == value


@pytest.mark.parametrize(
    "text", ["", "{", "[1,]", "01", "-", "nul", '"', '"\\ud800"', "[1 2]", "{1: 2}", "1 2", "+1", "[" * 200 + "]" * 200]
)
def test_what_is_no_plain_json_is_left_to_pythons(text):
    with pytest.raises(ValueError, match="no JSON at byte"):
        _core.loads(text)


@pytest.mark.parametrize("value", [float("inf"), object(), {1: 2}, b"", "\ud800"])
def test_what_json_does_not_say_plainly_is_left_to_pythons(value):
    with pytest.raises((TypeError, ValueError)):
        _core.dumps(value)


def test_opening_imports_nothing_heavy(model):
    code = (
        "import sys; from plainbayes.storage import file; file.open(sys.argv[1]).tensor('words');"
        "print([name for name in ('numpy', 'json', 'pathlib', 'threading') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code, model], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_model_is_read_from_a_pipe(model, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(model.read_bytes()))
    writer.start()
    assert whole(pipe)
    writer.join()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_stream_without_end_is_refused_at_once():
    assert refusal("/dev/zero") == "expected a plainbayes model, got something else: '/dev/zero'"


def test_a_pipe_that_breaks_off_or_does_not_end_is_refused(model, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for data, what in ((model.read_bytes()[:-1], "breaks off"), (model.read_bytes() + b"x", "something behind")):
        writer = threading.Thread(target=pipe.write_bytes, args=(data,))
        writer.start()
        assert what in refusal(pipe)
        writer.join()


# Anything else is refused.


def test_a_file_cut_short_anywhere_is_refused(model, tmp_path):
    data = model.read_bytes()
    short = tmp_path / "short.bayes"
    for length in range(len(data)):
        short.write_bytes(data[:length])
        message = refusal(short)
        assert "is damaged: it breaks off" in message if length > 8 else "expected a plainbayes model" in message


def test_a_longer_file_is_refused(model):
    model.write_bytes(model.read_bytes() + b"\0")
    assert "is damaged: there is something behind its" in refusal(model)


def test_a_flipped_bit_anywhere_is_refused(model, tmp_path):
    data = model.read_bytes()
    flipped = tmp_path / "flipped.bayes"
    for place in range(8 * len(data)):
        changed = bytearray(data)
        changed[place // 8] ^= 1 << place % 8
        flipped.write_bytes(changed)
        refusal(flipped)


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("law") / "any.bayes"
    path.write_bytes(data)
    refusal(path)


START = b'{"__metadata__":{"format":"plainbayes 1",'
JSON_LIKE = st.text(st.sampled_from('{}[]",:0123456789eE+-. \\unatrlsdypeho\x00é_'), max_size=60)


@given(st.binary(max_size=60) | JSON_LIKE.map(str.encode), st.binary(max_size=16))
def test_a_model_that_goes_on_with_random_bytes_is_refused(tmp_path_factory, header, data):
    path = tmp_path_factory.mktemp("law") / "any.bayes"
    path.write_bytes(forged(START + header, data))
    assert "is damaged" in refusal(path)


def test_a_forged_file_in_order_is_opened(path):
    header = ours({"é\n": table(), "none": table("F64", (0, 3), (8, 8))})
    header = json.dumps(header).replace(", ", " ,\n\t ").replace('{"__metadata__": {"format": ', START[:26].decode())
    path.write_bytes(forged(header.encode(), b"12345678"))
    assert contents(path) == ({}, {"é\n": b"12345678", "none": b""})


def test_characters_outside_the_basic_plane_are_read_escaped_too(path):
    path.write_bytes(forged(ours({'😀/\b\f\r\t\\"': table()}), b"12345678"))
    assert file.open(path).names == ['😀/\b\f\r\t\\"']


DEEP = b"[" * 100_000
WRONG = {
    "a type we do not know": ({"x": table("F8_E5M2")}, "unknown type"),
    "a type that is no type": ({"x": table("")}, "unknown type"),
    "more bytes than numbers": ({"x": table(shape=(7,))}, "does not fit its place"),
    "fewer bytes than numbers": ({"x": table(shape=(9,))}, "does not fit its place"),
    "a place that ends before it starts": ({"x": table(offsets=(8, 0))}, "does not fit its place"),
    "a place of one number": ({"x": table(offsets=(8,))}, "does not fit its place"),
    "a place beyond the file": ({"x": table(shape=(16,), offsets=(0, 16))}, "breaks off"),
    "a place beyond any file": ({"x": table(shape=(2**62,), offsets=(0, 2**62))}, "breaks off"),
    "a place at the end of all numbers": ({"x": table(shape=(0,), offsets=(2**64 - 1,) * 2)}, "does not fit its place"),
    "a gap": ({"x": table(shape=(4,), offsets=(4, 8))}, "overlaps another, or leaves a gap"),
    "bytes of no table": ({"x": table(shape=(4,), offsets=(0, 4))}, "something behind"),
    "an overlap": ({"x": table(), "y": table(shape=(4,), offsets=(4, 8))}, "overlaps another"),
    "two tables in one place": ({"x": table(), "y": table()}, "overlaps another"),
    "numbers that are not aligned": (
        {"x": table(shape=(4,), offsets=(0, 4)), "y": table("F64", (1,), (4, 12))},
        "cannot be read",
    ),
    "a shape that overflows": ({"x": table(shape=(2**32, 2**32))}, "larger than any memory"),
    "a shape that overflows around nothing": ({"x": table(shape=(2**40, 2**40, 0), offsets=(0, 0))}, "larger than any"),
    "a length that is no length": ({"x": table(shape=(2**63, 0), offsets=(0, 0))}, "larger than any memory"),
    "a length beyond all numbers": ({"x": table(shape=(2**64,))}, "makes no sense"),
    "a negative length": ({"x": table(shape=(-8,))}, "makes no sense"),
    "half a number": ({"x": table(shape=(8.0,))}, "makes no sense"),
    "a shape of NaN": ({"x": table(shape=(float("nan"),))}, "makes no sense"),
    "a shape of words": ({"x": table(shape=("8",))}, "makes no sense"),
    "a shape of more dimensions than arrays have": ({"x": table(shape=(1,) * 33)}, "makes no sense"),
    "no type": ({"x": {"shape": [8], "data_offsets": [0, 8]}}, "lacks its type, shape or place"),
    "something more about a table": ({"x": table() | {"more": "x"}}, "makes no sense"),
    "a table that is a word": ({"x": "U8"}, "makes no sense"),
    "a table that is null": ({"x": None}, "makes no sense"),
    "half a character as a name": ({"\ud800": table()}, "makes no sense"),
    "the other half": ({"\udc00\ud800": table()}, "makes no sense"),
    "a long name": ({"x" * 1000: table("?")}, f'"{"x" * 40}" has numbers of an unknown type'),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_header_with_something_wrong_is_refused_though_its_checksum_is_right(path, what):
    tables, message = WRONG[what]
    path.write_bytes(forged(ours(tables), b"12345678"))
    assert message in refusal(path)


@pytest.mark.parametrize(
    "header",
    [
        START[:-1] + b"}",
        START + b'"checksum":"0000000000000000 DATA"}}',
        START + b'"checksum":"\\u0030000000000000000 DATA","plainbayes":"{}"}}',
        START + b'"plainbayes":"{}","checksum":"0"}}',
        START + b'"plainbayes":"{}","checksum":1}}',
        START + b'"plainbayes":"{}","plainbayes":"{}","checksum":"0000000000000000 DATA"}}',
        START + b'"plainbayes":"{}","checksum":"0000000000000000 DATA"}} x',
        START + b'"plainbayes":"\xff","checksum":"0000000000000000 DATA"}}',
        START + b'"plainbayes":"\\x","checksum":"0000000000000000 DATA"}}',
        START + b'"plainbayes":"\\ud83d\\n","checksum":"0000000000000000 DATA"}}',
        START + b'"plainbayes":"\\u+123","checksum":"0000000000000000 DATA"}}',
        START + b'"plainbayes":"\n","checksum":"0000000000000000 DATA"}}',
        START + b'"plainbayes":' + DEEP,
        START + b'"plainbayes":"{}","checksum":"0000000000000000 DATA"},"x":' + DEEP,
        START + b'"plainbayes":"{}","checksum":"0000000000000000 DATA"},"x":{"shape":[01]}}',
        START + b'"plainbayes":"\\',
        START + b'"plainbayes":"\\u00',
        START.replace(b"1", b""),
        START.replace(b"1", b"0"),
        START.replace(b"1", b"one"),
    ],
)
def test_a_header_that_is_not_ours_is_refused(path, header):
    path.write_bytes(forged(header, b""))
    assert "is damaged" in refusal(path)


def test_two_tables_of_one_name_are_refused(path):
    text = json.dumps(ours({"x": table(), "y": table(shape=(0,), offsets=(8, 8))}), separators=(",", ":"))
    path.write_bytes(forged(text.replace('"y"', '"x"').encode(), b"12345678"))
    assert 'it has two tables "x"' in refusal(path)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a":' * 100_000, "[" * 100_000, '{"a":' + "9" * 10_000 + "}"])
def test_settings_that_are_no_settings_are_refused(path, text):
    path.write_bytes(forged(ours(plainbayes=text)))
    assert refusal(path).endswith("is damaged: its settings are not what was written")


def test_a_header_of_odd_length_is_refused(path):
    path.write_bytes(forged(ours(), odd=4))
    assert "odd length" in refusal(path)


def test_a_header_longer_than_any_of_ours_is_refused(model):
    data = model.read_bytes()
    for length in ((16 << 20) + 8, 2**40, 2**63, 2**64 - 1):
        model.write_bytes(length.to_bytes(8, "little") + data[8:])
        refusal(model)
    model.write_bytes((16 << 20).to_bytes(8, "little") + data[8:])
    assert "breaks off" in refusal(model)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "an empty file"),
        (b"\x80\x04K\x01.", "a pickle"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"\x1f\x8b....", "a gzip file"),
        (b"\x28\xb5\x2f\xfd..", "a zstd file"),
        ("spam\tкупите".encode() * 100, "text"),
        (b"\0\0\0\0", "something else"),
        (b"\xff\xfe", "something else"),
        (forged({"x": table()}, b"12345678"), "a safetensors file of another program"),
        (forged({"__metadata__": {"format": "pt"}}), "a safetensors file of another program"),
    ],
)
def test_what_is_no_model_is_called_by_its_name(path, data, what):
    path.write_bytes(data)
    assert refusal(path) == f"expected a plainbayes model, got {what}: {str(path)!r}"


def test_text_is_known_as_text_if_its_512th_byte_is_half_a_character(path):
    path.write_text("a" + "é" * 300, encoding="utf-8")
    assert "got text" in refusal(path)


@pytest.mark.parametrize(
    ("beginning", "who", "to"),
    [
        ('3","version":"3.1.4",', "format 3 written by plainbayes 3.1.4", "upgrade it to 3.1.4"),
        ('12","version":"<b>",', "format 12 written by a newer plainbayes", "upgrade it to the newest version"),
        ('3","version":"' + "1" * 40 + '"', "format 3 written by a newer plainbayes", "the newest version"),
        ('7", and all else may be different', "format 7 written by a newer plainbayes", "the newest version"),
        ("9" * 30 + '"', "written by a newer plainbayes", "the newest version"),
    ],
)
def test_a_newer_format_is_refused_whatever_comes_after_it(path, beginning, who, to):
    path.write_bytes(forged(b'{"__metadata__":{"format":"plainbayes ' + beginning.encode()))
    with pytest.raises(InputError, match="expected a model up to format 2, got format ") as caught:
        file.open(path)
    assert who in caught.value.message and to in caught.value.hint


def test_a_file_that_is_not_there_a_folder_and_names_that_are_none(path):
    assert refusal(path) == f"expected a model at {str(path)!r}, but there is no such file"
    assert refusal(path.parent) == f"expected a plainbayes model, got a folder: {str(path.parent)!r}"
    assert refusal(path.parent / ("x" * 300)).endswith("file name too long")
    assert "cannot read" in refusal("a\0b")
    assert "cannot read" in refusal("\ud800")


def test_numbers_are_checked_in_small_files_and_on_request(path):
    zeros = bytes(1 << 20)
    for count, checked in ((1, True), (64, False)):
        file.write(path, {}, {"x": ("U8", (count << 20,), zeros * count)})
        with path.open("r+b") as opened:
            opened.seek(-1, 2)
            opened.write(b"\1")
        assert "its numbers have changed" in refusal(path, verify=True)
        file.open(path, verify=False)
        if checked:
            assert "its numbers have changed" in refusal(path)
        else:
            file.open(path)


def test_a_table_that_is_missing_is_named(model):
    with pytest.raises(InputError, match="is damaged: it has no table 'index'"):
        file.open(model).tensor("index")


# What cannot be written.


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"x": ("F16", (1,), b"12")}, "got 'F16' for 'x'"),
        ({"__metadata__": ("U8", (1,), b"1")}, "'__metadata__'"),
        ({"x": ("U8", (1,) * 33, b"1")}, "for 'x', got 1, 1, 1, 1, 1 and 28 more"),
        ({"x": ("U8", (-1, -1), b"1")}, "expected a shape that an array can have for 'x', got -1, -1"),
        ({"x": ("U8", (2**63, 0), b"")}, "expected a shape that an array can have"),
        ({"x": ("U8", (3,), memoryview(b"123456")[::2])}, "contiguous"),
        ({"x": ("F64", (2, 3), b"1")}, r"expected 48 bytes for 'x' of F64 \(2, 3\), got 1"),
        ({"\ud800": ("U8", (1,), b"1")}, "UTF-8"),
    ],
)
def test_tables_that_cannot_be_written_are_refused(path, tables, message):
    with pytest.raises(InputError, match=message):
        file.write(path, {}, tables)
    assert inside(path.parent) == []


@pytest.mark.parametrize("settings", [{"a": float("nan")}, {"a": object()}, {"a": "x" * (16 << 20)}])
def test_settings_that_cannot_be_written_are_refused(model, settings):
    with pytest.raises(InputError, match="expected settings"):
        file.write(model, settings, {})
    assert whole(model)


# The old model survives.


def failing(monkeypatch, name, number):
    def fail(*args, **options):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(file.os, name, fail)


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_when_writing_fails_the_old_model_stays(model, monkeypatch, step, number):
    failing(monkeypatch, step, number)
    with pytest.raises(InputError) as caught:
        file.write(model, {}, {})
    reason = os.strerror(number)
    assert caught.value.message == f"could not write the model {str(model)!r}: {reason[0].lower()}{reason[1:]}"
    assert "the model that was there is unchanged" in caught.value.hint
    monkeypatch.undo()
    assert whole(model) and inside(model.parent) == [model.name]


FULL = """
import resource, sys
from plainbayes import InputError
from plainbayes.storage import file
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    file.write(sys.argv[1], {}, {"x": ("U8", (200_000,), bytes(200_000))})
except InputError as error:
    print(error.message)
"""


def test_on_a_full_disk_the_old_model_stays(model):
    out = subprocess.run([sys.executable, "-c", FULL, model], capture_output=True, text=True, check=True).stdout
    assert out == f"could not write the model {str(model)!r}: file too large\n"
    assert whole(model) and inside(model.parent) == [model.name]


def test_when_a_folder_cannot_be_synced_the_model_is_there_all_the_same(path, monkeypatch):
    real, calls = os.fsync, []

    def first_only(number):
        calls.append(number)
        if len(calls) > 1:
            raise OSError(errno.EINVAL, "no")
        real(number)

    monkeypatch.setattr(file.os, "fsync", first_only)
    file.write(path, SETTINGS, MODEL)
    assert whole(path) and len(calls) == 2


@pytest.mark.parametrize("path", ["missing/some.bayes", "a\0b", "\ud800"])
def test_a_path_that_cannot_be_written_is_refused(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="could not write the model") as caught:
        file.write(path, {}, {})
    assert caught.value.hint == "make room or choose a folder that you can write to"


@pytest.mark.parametrize(("path", "what"), [(".", "a folder"), ("pipe", "a device")])
def test_what_is_no_file_is_not_replaced(tmp_path, path, what):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=f"expected a file to write to, got {what}"):
        file.write(tmp_path / "pipe" if path == "pipe" else tmp_path, {}, {})
    assert inside(tmp_path) == ["pipe"] and stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_device_just_gets_what_is_put_there(tmp_path):
    os.mkfifo(pipe := tmp_path / "pipe")
    with ThreadPoolExecutor() as reader:
        got = reader.submit(pipe.read_bytes)
        file.put(pipe, b"a page")
        assert got.result(timeout=60) == b"a page"
    assert inside(tmp_path) == ["pipe"] and stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_is_followed_and_permissions_are_kept(model, tmp_path):
    link = tmp_path / "elsewhere" / "link.bayes"
    link.parent.mkdir()
    link.symlink_to(model)
    model.chmod(0o640)
    file.write(link, {}, {})
    assert link.is_symlink() and not model.is_symlink() and contents(model) == ({}, {})
    assert stat.S_IMODE(model.stat().st_mode) == 0o640
    assert inside(link.parent) == ["link.bayes"]


def test_a_new_model_has_the_permissions_of_a_new_file(path):
    before = os.umask(0o027)
    try:
        file.write(path, {}, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


KILLED = """
import os, signal, sys
from plainbayes.storage import file
os.fsync = lambda number: os.kill(os.getpid(), signal.SIGKILL)
file.write(sys.argv[1], {}, {"x": ("U8", (200_000,), bytes(200_000))})
"""


def test_a_writer_that_is_killed_leaves_the_old_model_and_the_next_one_cleans_up(model):
    assert subprocess.run([sys.executable, "-c", KILLED, model], check=False).returncode == -signal.SIGKILL
    assert whole(model)
    assert inside(model.parent) == [".some.bayes.lock", ".some.bayes.new", "some.bayes"]
    file.write(model, SETTINGS, MODEL)
    assert whole(model) and inside(model.parent) == [model.name]


# Locks.


COUNTING = """
import sys
from plainbayes.storage import file
for _ in range(int(sys.argv[2])):
    with file.locked(sys.argv[1]):
        count = file.open(sys.argv[1]).metadata["count"]
        file.write(sys.argv[1], {"count": count + 1}, {})
"""


def test_several_programs_that_read_change_and_write_lose_nothing(path):
    file.write(path, {"count": 0}, {})
    link = path.with_name("link.bayes")
    link.symlink_to(path)
    names = [path, link, path, link]
    programs = [subprocess.Popen([sys.executable, "-c", COUNTING, name, "20"]) for name in names]
    assert [program.wait() for program in programs] == [0] * len(programs)
    assert file.open(path).metadata == {"count": 80}
    assert inside(path.parent) == ["link.bayes", "some.bayes"]


def test_several_threads_lose_nothing(path):
    file.write(path, {"count": 0}, {})

    def count():
        for _ in range(20):
            with file.locked(path):
                file.write(path, {"count": file.open(path).metadata["count"] + 1}, {})

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.open(path).metadata == {"count": 60}


def test_who_waits_too_long_for_a_lock_is_told_so(model):
    refused = []

    def other():
        with pytest.raises(InputError, match="another program has been changing the model") as caught:
            file.locked(model, patience=0.03).__enter__()
        refused.append(caught.value.hint)

    with file.locked(model):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        file.write(model, {}, {})
    assert refused == ["try again when it is done"]
    assert inside(model.parent) == [model.name]


def test_a_lock_on_a_file_that_is_no_longer_beside_the_model_does_not_count(model, monkeypatch):
    real, tries = file._try_lock, []

    def late(number):
        tries.append(number)
        if len(tries) == 1:
            (model.parent / ".some.bayes.lock").unlink()
        return real(number)

    monkeypatch.setattr(file, "_try_lock", late)
    file.write(model, SETTINGS, MODEL)
    assert len(tries) == 2 and whole(model)


def test_a_lock_is_given_back_when_something_goes_wrong(model):
    with pytest.raises(KeyError), file.locked(model):
        raise KeyError
    assert inside(model.parent) == [model.name]
    with file.locked(model, patience=0):
        pass


def test_where_there_are_no_locks_models_are_written_without(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    file.write(model, {}, {})
    assert contents(model) == ({}, {})


@pytest.mark.skipif(sys.platform == "win32", reason="needs fcntl")
def test_a_file_system_without_locks_is_no_reason_to_lose_a_model(model, monkeypatch):
    import fcntl

    def fail(number, how):
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(fcntl, "flock", fail)
    reason = errno.ENOLCK
    file.write(model, {}, {})
    assert contents(model) == ({}, {})
    reason = errno.EIO
    with pytest.raises(InputError, match="could not write"):
        file.write(model, SETTINGS, MODEL)
    assert contents(model) == ({}, {})


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("format-*.bayes")), ids=lambda path: path.stem)
def test_a_file_of_every_format_loads_for_ever(path):
    model = plainbayes.load(path)
    assert model.classes == ("ham", "spam")
    assert model.predict(["cheap pills", "milk at noon"]) == ["spam", "ham"]
    assert model.predict_proba(["cheap pills"])[0, 1] == pytest.approx(KEPT[path.stem], abs=1e-9)
    assert model.learn("lunch", "ham").unlearn("lunch", "ham").counts.documents.sum() == 60


@pytest.mark.parametrize("broken", ["words.starts", "counts.cells", "counts.texts"])
def test_old_files_whose_words_make_no_sense_are_refused(tmp_path, broken):
    """Files of format 1 get their index when they are opened."""
    opened = file.open(Path(__file__).parent / "format-1.bayes")
    numbers = {name: np.asarray(opened.tensor(name)) for name in opened.names}
    numbers[broken] = numbers[broken][:-1]
    kinds = {numpy: name for name, numpy in TYPES.items()}
    tensors = {name: (kinds[each.dtype], each.shape, each) for name, each in numbers.items()}
    file.write(tmp_path / "old.bayes", opened.metadata, tensors)
    with pytest.raises(InputError, match="does not hold what a model for texts has"):
        plainbayes.load(tmp_path / "old.bayes").predict(["cheap pills"])

"""The model file: named tables of numbers and what is known about them, in the safetensors format.

A file is never changed: a new one takes its place, whole or not at all. An open file is mapped, so that nothing is read
before it is needed, and its tables are views of it. What the numbers mean is the model's business.

This module is on the way of every command: it does without contextlib, pathlib, json and typing, which take time.
"""

from __future__ import annotations

import os
import stat
import time
from _thread import get_ident
from math import gcd, prod

from plainbayes import __version__, _core
from plainbayes.errors import InputError, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Path = str | os.PathLike[str]

SIZES = {"U8": 1, "I8": 1, "U16": 2, "I16": 2, "U32": 4, "I32": 4, "U64": 8, "I64": 8, "F32": 4, "F64": 8}
"""The types a table may have, and how many bytes a number takes."""

DIMENSIONS = 32
ALIGNED = 64
PATIENCE = 60.0
"""Seconds to wait for another program that is changing the same model."""


class File:
    """An open model file: `metadata`, and tables by name."""

    def __init__(self, path: Path, core: _core.File) -> None:
        self.path = os.fspath(path)
        self.core = core
        self.size = core.size
        self.names = core.names
        self._metadata: dict[str, Any] | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """All that was said about the tables when they were written."""
        if self._metadata is None:
            try:
                metadata = _loads(self.core.metadata)
            except (ValueError, RecursionError):
                metadata = None
            if not isinstance(metadata, dict):
                raise self.damaged("its settings are not what was written")
            self._metadata = metadata
        return self._metadata

    def tensor(self, name: str) -> memoryview:
        """Give a table as it lies in the file: a view to read, which `numpy.asarray` takes without a copy."""
        try:
            return self.core.tensor(name)
        except KeyError:
            raise self.damaged(f"it has no table {name!r}") from None

    def damaged(self, what: str) -> InputError:
        """Make the error for a file in which something is wrong."""
        return _damaged(self.path, what)


def open(path: Path, *, verify: bool | None = None) -> File:  # noqa: A001 - file.open(path) says it best
    """Open a model file.

    Header and sizes are always checked, and the checksum of the numbers up to 64 MB of file: larger ones are read only
    as far as they are used, unless `verify` is true.
    """
    name = os.fspath(path)
    try:
        return File(path, _core.File(path, verify))
    except FileNotFoundError as error:
        raise InputError(f"expected a model at {name!r}, but there is no such file", "train one first") from error
    except (OSError, UnicodeError) as error:
        raise InputError(f"cannot read the model {name!r}: {_reason(error)}", "see who may read it") from error
    except ValueError as error:
        raise _refusal(name, *error.args) from error


def _refusal(name: str, kind: str, what: Any, version: str | None = None) -> InputError:
    if kind == "newer":
        by, to = (f"plainbayes {version}", version) if version else ("a newer plainbayes", "the newest version")
        return InputError(
            f"expected a model up to format {_core.File.FORMAT}, got format {what} written by {by}: {name!r}",
            f"this is plainbayes {__version__}: upgrade it to {to}",
        )
    if kind == "foreign":
        return InputError(f"expected a plainbayes model, got {what}: {name!r}", "a model is what plainbayes has saved")
    return _damaged(name, what)


def _damaged(name: str, what: str) -> InputError:
    return InputError(f"the model {name!r} is damaged: {what}", "take a copy that is whole, or train it again")


def _reason(error: OSError | ValueError) -> str:
    number = getattr(error, "errno", None)
    reason = os.strerror(number) if number else str(error)
    return reason[0].lower() + reason[1:]


def write(path: Path, metadata: Mapping[str, Any], tensors: Mapping[str, tuple[str, tuple[int, ...], Any]]) -> None:
    """Write a model file, in place of the one that may be there.

    `metadata` is anything that JSON can say; each tensor is its type (one of `SIZES`), its shape, and a contiguous
    buffer. The new file is written beside the old one and put in its place when it is safe on the disk. If that fails,
    the old one stays as it is. A link is followed, and permissions are kept.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(f"{folder}/some.bayes", {"alpha": 1.0}, {"counts": ("U8", (3,), b"abc")})
    ...     some = open(f"{folder}/some.bayes")
    >>> some.metadata, some.tensor("counts").tolist()
    ({'alpha': 1.0}, [97, 98, 99])
    """
    parts = _parts(tensors)
    header = _header(metadata, tensors, parts)
    with _Sentence(path), locked(path):
        _replace(os.path.realpath(path), [header, *parts.values()])


def put(path: Path, content: bytes) -> None:
    """Write any file whole or not at all, in place of the one that may be there; a pipe or a device just gets it."""
    with _Sentence(path, "file"):
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            with os.fdopen(os.open(path, os.O_WRONLY), "wb") as device:
                device.write(content)
        else:
            _replace(os.path.realpath(path), [content])


def _parts(tensors: Mapping[str, tuple[str, tuple[int, ...], Any]]) -> dict[str, memoryview]:
    """Check the tables, and give their bytes in the order in which they will lie in the file.

    A table whose size a large power of two divides comes first. So each starts at a multiple of that power, its numbers
    are aligned, and no gaps are needed, which safetensors does not allow.
    """
    parts = {}
    for name, (kind, shape, buffer) in tensors.items():
        view = memoryview(buffer)
        if kind not in SIZES or name == "__metadata__" or not view.c_contiguous:
            raise InputError(f"expected a contiguous table of one of {listed(SIZES, 10)}, got {kind!r} for {name!r}")
        size = SIZES[kind] * prod(shape)
        most = SIZES[kind] * prod(max(length, 1) for length in shape)
        if len(shape) > DIMENSIONS or min(shape, default=0) < 0 or most >= 1 << 63:
            raise InputError(f"expected a shape that an array can have for {name!r}, got {listed(shape)}")
        if view.nbytes != size:
            raise InputError(f"expected {size} bytes for {name!r} of {kind} {tuple(shape)}, got {view.nbytes}")
        # A view of nothing cannot be cast.
        parts[name] = view.cast("B") if size else memoryview(b"")
    return dict(sorted(parts.items(), key=lambda part: -gcd(part[1].nbytes, ALIGNED)))


def _header(
    metadata: Mapping[str, Any],
    tensors: Mapping[str, tuple[str, tuple[int, ...], Any]],
    parts: Mapping[str, memoryview],
) -> bytes:
    """The file up to its tables: eight bytes of length, and JSON with spaces behind it.

    The first half of the checksum is that of the header with zeros in its place, the second that of the tables.
    """
    try:
        settings = _dumps(metadata)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"expected settings that JSON can say: {error}") from error
    blank = "0" * 16
    known = {
        "format": f"plainbayes {_core.File.FORMAT}",
        "version": __version__,
        "checksum": f"{blank} {_core.checksum(list(parts.values()))}",
        "plainbayes": settings,
    }
    header: dict[str, Any] = {"__metadata__": known}
    end = 0
    for name, part in parts.items():
        kind, shape, _ = tensors[name]
        header[name] = {"dtype": kind, "shape": [*map(int, shape)], "data_offsets": [end, end + part.nbytes]}
        end += part.nbytes
    try:
        "".join(parts).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"expected names of tables that UTF-8 can write: {error}") from error
    text = _dumps(header).encode()
    length = -(-(8 + len(text)) // ALIGNED) * ALIGNED - 8
    if length > _core.File.LONGEST:
        raise InputError(f"expected settings of at most {_core.File.LONGEST} bytes, got {length}")
    text = length.to_bytes(8, "little") + text.ljust(length)
    return text.replace(blank.encode(), _core.checksum([text]).encode(), 1)


def _loads(text: str) -> Any:
    try:
        return _core.loads(text)
    except ValueError:
        import json

        return json.loads(text)


def _dumps(value: Any) -> str:
    try:
        return _core.dumps(value)
    except (TypeError, ValueError):
        import json

        return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _replace(target: str, parts: list[Any]) -> None:
    """Write a new file and put it in the place of the old one, under the lock."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
    if old and not stat.S_ISREG(old.st_mode):
        kind = "a folder" if stat.S_ISDIR(old.st_mode) else "a device"
        raise InputError(f"expected a file to write to, got {kind}: {target!r}", "give a file's name")
    folder, name = os.path.split(target)
    new = os.path.join(folder, f".{name}.new")
    # Whoever holds the lock is the only one who writes: what is there was left by a crash.
    with _suppress(FileNotFoundError):
        os.unlink(new)
    number = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if old else 0o644)
    try:
        with os.fdopen(number, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            if old:
                with _suppress(PermissionError, AttributeError):
                    os.chown(new, old.st_uid, old.st_gid)
                os.chmod(new, stat.S_IMODE(old.st_mode))
            os.fsync(number)
        os.replace(new, target)
    except BaseException:
        with _suppress(OSError):
            os.unlink(new)
        raise
    # The model is there; whether its name survives a power cut is up to the system where folders cannot be synced.
    with _suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


class _suppress:  # noqa: N801 - as contextlib has it, whose import takes time
    def __init__(self, *errors: type[BaseException]) -> None:
        self.errors = errors

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        return isinstance(error, self.errors)


class _Sentence:
    """Turns the errors of the system into a sentence about the model, or another file, at this path."""

    def __init__(self, path: Path, what: str = "model") -> None:
        self.path, self.what = path, what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError | ValueError) and not isinstance(error, InputError):
            before = f"the {self.what} that was there is unchanged; " if os.path.exists(self.path) else ""
            raise InputError(
                f"could not write the {self.what} {os.fspath(self.path)!r}: {_reason(error)}",
                f"{before}make room or choose a folder that you can write to",
            ) from error


_held: set[tuple[int, str]] = set()
"""The threads that hold a lock, and the model it is for."""


class locked:  # noqa: N801 - used like a function, as contextlib's are
    """Keeps a model to yourself while you read, change and write it: others wait, at most `patience` seconds.

    `write` does so by itself; inside the same thread's `locked` it just writes. Readers need no lock.
    """

    def __init__(self, path: Path, *, patience: float = PATIENCE) -> None:
        self.path, self.patience = path, patience

    def __enter__(self) -> None:
        self.lock = None
        with _Sentence(self.path):
            target = os.path.realpath(self.path)
            self.holder = get_ident(), target
            if self.holder in _held:
                return
            folder, name = os.path.split(target)
            self.beside = os.path.join(folder, f".{name}.lock")
            self.lock = _acquire(self.path, self.beside, self.patience)
        _held.add(self.holder)

    def __exit__(self, *error: object) -> None:
        if self.lock is not None:
            _held.discard(self.holder)
            # Removed while it is held, so that nobody else's is: see `_acquire`.
            with _suppress(OSError):
                os.unlink(self.beside)
            os.close(self.lock)


def _acquire(path: Path, beside: str, patience: float) -> int:
    """Lock the file beside the model, and give its number.

    Its last holder removed it, and another one may have been made since: a lock counts if it is still the one beside
    the model. The system itself lets go of the locks of a program that ends.
    """
    end = time.monotonic() + patience
    while True:
        number = os.open(beside, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if _try_lock(number) and _same(number, beside):
                return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)
        if time.monotonic() > end:
            raise InputError(
                f"another program has been changing the model {os.fspath(path)!r} for {patience:g} seconds",
                "try again when it is done",
            )
        time.sleep(0.01)


def _try_lock(number: int) -> bool:
    # Elsewhere than on Unix, and on the few file systems that know no locks, two writers at once are not kept apart.
    try:
        import fcntl
    except ImportError:
        return True
    import errno

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK):
            raise
    return True


def _same(number: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False

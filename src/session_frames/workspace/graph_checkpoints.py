"""States of graphs that a program keeps here, by thread, namespace and checkpoint: bytes in, bytes out.

They lie in the private area, a file each, written whole or not at all. What a secret could not be taken out of is
refused.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from session_frames.errors import FormatError, RefusedError, UsageError
from session_frames.operations.redact import redact_text
from session_frames.storage.private_state import write_atomically
from session_frames.workspace.core import Workspace

Typed = tuple[str, bytes]  # how the bytes are to be read, and they

_FOLDER = "graphs"
_LOCK = "graphs"


class Saved(NamedTuple):
    """One checkpoint of a thread: the state without its channels, what is known of it, and its channels."""

    thread: str
    namespace: str
    id: str
    parent: str
    checkpoint: Typed
    metadata: Typed
    channels: dict[str, Typed]


class Write(NamedTuple):
    """One write of a task that no checkpoint holds yet."""

    task: str
    number: int
    channel: str
    value: Typed
    path: str


def redacted(ws: Workspace, text: str) -> str:
    """A text as it may be kept."""
    return redact_text(text, ws.policy)[0]


def save(ws: Workspace, saved: Saved) -> None:
    """Keep a checkpoint; one of the same thread, namespace and id is replaced."""
    for value in (saved.checkpoint, saved.metadata, *saved.channels.values()):
        _require_clean(ws, value)
    record = {
        **saved._asdict(),
        "checkpoint": _text(saved.checkpoint),
        "metadata": _text(saved.metadata),
        "channels": {name: _text(value) for name, value in saved.channels.items()},
    }
    with ws.state.lock(_LOCK):
        _write(_path(ws, saved.thread, saved.namespace, saved.id), record)


def channels_of(ws: Workspace, thread: str, namespace: str, checkpoint: str) -> dict[str, Typed]:
    """The channels of a checkpoint, {} where it is not known."""
    found = find(ws, thread, namespace, checkpoint) if checkpoint else None
    return found.channels if found else {}


def find(ws: Workspace, thread: str, namespace: str, checkpoint: str = "") -> Saved | None:
    """A checkpoint; without an id the newest of the namespace."""
    if checkpoint:
        record = _read(_path(ws, thread, namespace, checkpoint))
        return _saved(record) if record else None
    return next(iter_saved(ws, thread, namespace), None)


def iter_saved(ws: Workspace, thread: str | None = None, namespace: str | None = None) -> Iterator[Saved]:
    """The checkpoints of a thread (of all without one), of each namespace the newest first."""
    threads = [_folder(ws, thread)] if thread is not None else _below(ws.state.path(_FOLDER))
    for folder in threads:
        inner = [_folder(ws, thread, namespace)] if thread is not None and namespace is not None else _below(folder)
        for place in inner:
            names = [name for name in _listed(place) if name.endswith(".checkpoint.json")]
            records = [record for name in names if (record := _read(os.path.join(place, name)))]
            found = sorted(map(_saved, records), key=lambda saved: saved.id, reverse=True)
            yield from (saved for saved in found if namespace is None or saved.namespace == namespace)


def add_writes(ws: Workspace, thread: str, namespace: str, checkpoint: str, writes: Sequence[Write]) -> None:
    """Keep writes beside a checkpoint. One of the same task and number stays as it was, but for negative numbers."""
    for write in writes:
        _require_clean(ws, write.value)
    path = _path(ws, thread, namespace, checkpoint, "writes")
    with ws.state.lock(_LOCK):
        kept = {(write.task, write.number): write for write in writes_of(ws, thread, namespace, checkpoint)}
        for write in writes:
            if write.number < 0 or (write.task, write.number) not in kept:
                kept[write.task, write.number] = write
        _write(path, {"writes": [{**write._asdict(), "value": _text(write.value)} for write in kept.values()]})


def writes_of(ws: Workspace, thread: str, namespace: str, checkpoint: str) -> list[Write]:
    """The writes beside a checkpoint."""
    record = _read(_path(ws, thread, namespace, checkpoint, "writes")) or {"writes": []}
    return [Write(**{**write, "value": _bytes(write["value"])}) for write in record["writes"]]


def delete_thread(ws: Workspace, thread: str) -> None:
    """Delete all checkpoints and writes of a thread."""
    with ws.state.lock(_LOCK):
        shutil.rmtree(_folder(ws, thread), ignore_errors=True)


def delete(ws: Workspace, unwanted: Iterable[Saved]) -> None:
    """Delete these checkpoints with their writes."""
    with ws.state.lock(_LOCK):
        for saved in unwanted:
            for kind in ("checkpoint", "writes"):
                path = _path(ws, saved.thread, saved.namespace, saved.id, kind)
                if os.path.exists(path):
                    os.unlink(path)


def copy_thread(ws: Workspace, source: str, target: str) -> None:
    """Give another thread all checkpoints and writes of this one."""
    for saved in list(iter_saved(ws, source)):
        writes = writes_of(ws, source, saved.namespace, saved.id)
        save(ws, saved._replace(thread=target))
        if writes:
            add_writes(ws, target, saved.namespace, saved.id, writes)


def _require_clean(ws: Workspace, value: Typed) -> None:
    text = value[1].decode("utf-8", "replace")
    hits = redact_text(text, ws.policy)[1]
    if hits:
        raise RefusedError(
            f"a secret ({hits[0].rule}) could not be taken out of the state",
            hint="keep it out of the graph's state: in the environment, or in the configuration of the run",
        )


# ---------------------------------------------------------------------------------------------------------------------
# Files


def _name(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _folder(ws: Workspace, thread: str, *namespace: str) -> str:
    if not isinstance(thread, str) or not thread.strip():
        raise UsageError("a thread id can't be empty: a new conversation needs one of its own")
    return ws.state.path(_FOLDER, _name(thread), *map(_name, namespace))


def _path(ws: Workspace, thread: str, namespace: str, checkpoint: str, kind: str = "checkpoint") -> str:
    return os.path.join(_folder(ws, thread, namespace), f"{_name(checkpoint)}.{kind}.json")


def _below(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in _listed(folder)]


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _write(path: str, record: dict[str, Any]) -> None:
    write_atomically(path, json.dumps(record).encode("ascii"))


def _read(path: str) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as file:
            return dict(json.loads(file.read()))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise FormatError(f"'{path}' is no state of a graph") from error


def _saved(record: dict[str, Any]) -> Saved:
    channels = {name: _bytes(value) for name, value in record["channels"].items()}
    read = {"checkpoint": _bytes(record["checkpoint"]), "metadata": _bytes(record["metadata"]), "channels": channels}
    return Saved(**{**record, **read})


def _text(value: Typed) -> list[str]:
    return [value[0], base64.b64encode(value[1]).decode("ascii")]


def _bytes(value: list[str]) -> Typed:
    return value[0], base64.b64decode(value[1])

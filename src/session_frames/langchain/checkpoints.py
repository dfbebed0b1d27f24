"""A saver of graph checkpoints: the state in the private area, the talk and its checkpoints in a session frame."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, cast

from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from pydantic import BaseModel

from session_frames.langchain.workspaces import Folder, workspace_of
from session_frames.model import Checkpoint as FrameCheckpoint
from session_frames.workspace import graph_checkpoints, message_histories
from session_frames.workspace.graph_checkpoints import Saved, Write


class FrameCheckpointSaver(BaseCheckpointSaver[str]):
    """Checkpoints of the graphs of one repository. The messages of a thread's state become an active frame, with a
    frame checkpoint for each of the graph's. Secrets are redacted in every text of the state; a state that still holds
    one is refused. ``messages`` is the channel that holds the talk.
    """

    def __init__(
        self, folder: Folder = ".", *, messages: str = "messages", serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._workspace = workspace_of(folder)
        self._messages = messages

    # -- reading ------------------------------------------------------------------------------------------------------

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint of that id, without an id the newest of the thread; None where there is none."""
        thread, namespace = _place(config)
        saved = graph_checkpoints.find(self._workspace, thread, namespace, get_checkpoint_id(config) or "")
        return self._tuple(saved) if saved else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """The checkpoints of a thread (of all without ``config``), newest first."""
        given = config["configurable"] if config else {}
        wanted = get_checkpoint_id(config) if config else None
        end = get_checkpoint_id(before) if before else None
        found = graph_checkpoints.iter_saved(self._workspace, given.get("thread_id"), given.get("checkpoint_ns"))
        told = 0
        for saved in found:
            if (wanted and saved.id != wanted) or (end and saved.id >= end):
                continue
            metadata = self.serde.loads_typed(saved.metadata)
            if any(metadata.get(key) != value for key, value in (filter or {}).items()):
                continue
            if limit is not None and told >= limit:
                return
            told += 1
            yield self._tuple(saved)

    def _tuple(self, saved: Saved) -> CheckpointTuple:
        checkpoint = cast(Checkpoint, self.serde.loads_typed(saved.checkpoint))
        values = {name: self.serde.loads_typed(value) for name, value in saved.channels.items()}
        writes = graph_checkpoints.writes_of(self._workspace, saved.thread, saved.namespace, saved.id)
        ordered = sorted(writes, key=lambda write: (write.path, write.task, write.number))
        return CheckpointTuple(
            config=_config(saved.thread, saved.namespace, saved.id),
            checkpoint=cast(Checkpoint, {**checkpoint, "channel_values": values}),
            metadata=self.serde.loads_typed(saved.metadata),
            parent_config=_config(saved.thread, saved.namespace, saved.parent) if saved.parent else None,
            pending_writes=[(write.task, write.channel, self.serde.loads_typed(write.value)) for write in ordered],
        )

    # -- writing ------------------------------------------------------------------------------------------------------

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint: the channels of the new versions as given, the others as its parent has them."""
        thread, namespace = _place(config)
        parent = get_checkpoint_id(config) or ""
        given = self._clean(checkpoint["channel_values"])
        before = graph_checkpoints.channels_of(self._workspace, thread, namespace, parent)
        kept = {
            name: value
            for name, value in before.items()
            if name in checkpoint["channel_versions"] and name not in new_versions
        }
        state = {key: value for key, value in checkpoint.items() if key != "channel_values"}
        saved = Saved(
            thread,
            namespace,
            checkpoint["id"],
            parent,
            self.serde.dumps_typed(state),
            self.serde.dumps_typed(self._clean(get_checkpoint_metadata(config, metadata))),
            {**kept, **{name: self.serde.dumps_typed(value) for name, value in given.items()}},
        )
        graph_checkpoints.save(self._workspace, saved)
        if not namespace:
            self._tell_frame(thread, checkpoint, metadata, given.get(self._messages))
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a task wrote, until the next checkpoint holds it."""
        thread, namespace = _place(config)
        given = [
            Write(
                task_id,
                WRITES_IDX_MAP.get(channel, number),
                channel,
                self.serde.dumps_typed(self._clean(value)),
                task_path,
            )
            for number, (channel, value) in enumerate(writes)
        ]
        graph_checkpoints.add_writes(self._workspace, thread, namespace, config["configurable"]["checkpoint_id"], given)

    def _tell_frame(self, thread: str, checkpoint: Checkpoint, metadata: CheckpointMetadata, talk: Any) -> None:
        """The messages of the state, as the transcript of the thread's frame."""
        said = [one for one in talk if isinstance(one, BaseMessage)] if isinstance(talk, list | tuple) else []
        if said:
            note = f"step {metadata.get('step', '')}, {metadata.get('source', '')}"
            point = FrameCheckpoint(name=checkpoint["id"], turn="", at=checkpoint["ts"], note=note)
            message_histories.set_messages(
                self._workspace, frame_session(thread), [message_to_dict(one) for one in said], point
            )

    def _clean(self, value: Any) -> Any:
        return _cleaned(value, lambda text: graph_checkpoints.redacted(self._workspace, text))

    # -- threads ------------------------------------------------------------------------------------------------------

    def delete_thread(self, thread_id: str) -> None:
        """Delete all states of a thread. Its frame stays: what was said is no state."""
        graph_checkpoints.delete_thread(self._workspace, str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that these runs made."""
        unwanted = set(run_ids)
        found = graph_checkpoints.iter_saved(self._workspace)
        gone = [saved for saved in found if self.serde.loads_typed(saved.metadata).get("run_id") in unwanted]
        graph_checkpoints.delete(self._workspace, gone)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Give another thread all that this one has."""
        graph_checkpoints.copy_thread(self._workspace, source_thread_id, target_thread_id)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all states of these threads, or all but the newest of each namespace."""
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            newest: set[str] = set()
            gone = []
            for saved in graph_checkpoints.iter_saved(self._workspace, thread):
                if saved.namespace in newest:
                    gone.append(saved)
                newest.add(saved.namespace)
            graph_checkpoints.delete(self._workspace, gone)

    def get_next_version(self, current: str | None, channel: None) -> str:
        """The version after this one; it sorts behind it."""
        number = int(str(current).split(".")[0]) if current is not None else 0
        return f"{number + 1:032}"

    # -- the same, awaited --------------------------------------------------------------------------------------------

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As ``get_tuple``."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As ``list``."""
        for one in await asyncio.to_thread(lambda: [*self.list(config, filter=filter, before=before, limit=limit)]):
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As ``put``."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """As ``put_writes``."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """As ``delete_thread``."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """As ``delete_for_runs``."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """As ``copy_thread``."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As ``prune``."""
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))


def frame_session(thread: str) -> str:
    """The session id of a thread's frame."""
    return f"thread {thread}"


def _place(config: RunnableConfig) -> tuple[str, str]:
    given = config["configurable"]
    return str(given["thread_id"]), given.get("checkpoint_ns", "")


def _config(thread: str, namespace: str, checkpoint: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}}


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    """The value with each of its texts cleaned; the same object where nothing was to be done."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, BaseMessage):
        told = message_to_dict(value)
        cleaned = _cleaned(told, clean)
        return value if cleaned == told else messages_from_dict([cleaned])[0]
    if isinstance(value, dict):
        return {clean(key) if isinstance(key, str) else key: _cleaned(one, clean) for key, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_cleaned(one, clean) for one in value))
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(_cleaned(one, clean) for one in value)
    if isinstance(value, BaseModel):
        changed = {name: _cleaned(getattr(value, name), clean) for name in type(value).model_fields}
        return value.model_copy(update=changed)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(value, **{name: _cleaned(getattr(value, name), clean) for name in fields})
    return value

"""decide, ask, answer, edit."""

from __future__ import annotations

from typing import Any

import click

from session_frames.cli.edited import tell
from session_frames.cli.main import Context
from session_frames.cli.options import frame_argument, frame_of, frame_option, json_option, not_blank, not_blank_or_none
from session_frames.cli.review import require_terminal
from session_frames.errors import EnvironmentError_, NothingFound, UsageError
from session_frames.operations.edit_form import form_of, read_form
from session_frames.operations.fence import line_shown
from session_frames.operations.item_edits import FIELDS, ItemEdit
from session_frames.workspace import context_edits


@click.command()
@click.argument("text")
@click.option("--turn", callback=not_blank, metavar="TURN", help="The turn whose words it rests on.")
@click.option(
    "--supersedes", callback=not_blank, metavar="ID", help="The decision that it replaces, by the begin of its id."
)
@frame_option
@json_option
@click.pass_obj
def decide(context: Context, text: str, turn: str, supersedes: str, name: str | None, as_json: bool) -> None:
    """Note a decision."""
    edited = context_edits.decide(context.workspace, name, _text(text), turn, supersedes)
    item = edited.frame["decisions"][-1]
    tell(edited, f"decision {item['id']}, by {item['by']}: {line_shown(item['text'])}", as_json, {"decision": item})


@click.command()
@click.argument("text")
@frame_option
@json_option
@click.pass_obj
def ask(context: Context, text: str, name: str | None, as_json: bool) -> None:
    """Note an open question."""
    edited = context_edits.ask(context.workspace, name, _text(text))
    item = edited.frame["open_questions"][-1]
    tell(edited, f"question {item['id']}: {line_shown(item['text'])}", as_json, {"question": item})


@click.command()
@click.argument("question", metavar="ID")
@click.argument("text")
@frame_option
@json_option
@click.pass_obj
def answer(context: Context, question: str, text: str, name: str | None, as_json: bool) -> None:
    """Answer a question, named by the begin of its id."""
    edited = context_edits.answer(context.workspace, name, question, _text(text))
    item = next(one for one in edited.frame["open_questions"] if one["id"].startswith(question))
    said = f"{line_shown(item['text'])} → {line_shown(item['answer'])}"
    tell(edited, f"answered {item['id']}: {said}", as_json, {"question": item})


@click.command()
@frame_argument
@frame_option
@click.option("--topic", help="A new topic; the file keeps its name.")
@click.option("--title", help='A new title; "" takes it away.')
@click.option("--goal", help='A new goal; "" takes it away.')
@click.option(
    "--item",
    callback=not_blank_or_none,
    metavar="ID",
    help="The decision, constraint, question or step to change, by the begin of its id.",
)
@click.option("--text", callback=not_blank, help="Its new text.")
@click.option("--state", callback=not_blank, help="Its new state, such as overruled, answered or done.")
@json_option
@click.pass_obj
def edit(
    context: Context,
    frame: str | None,
    name: str | None,
    topic: str | None,
    title: str | None,
    goal: str | None,
    item: str | None,
    text: str,
    state: str,
    as_json: bool,
) -> None:
    """Change topic, title, goal, or an item's text and state: by options, else in your editor."""
    wanted = frame_of(frame, name)
    if (item is not None) != bool(text or state):
        raise UsageError("--item ID needs --text or --state, and these need --item", hint="frames show lists the ids")
    fields = {key: value for key, value in zip(FIELDS, (topic, title, goal), strict=True) if value is not None}
    items = [ItemEdit(item, text, state)] if item is not None else []
    if not fields and not items:
        fields, items = _from_editor(context, wanted)
    edited = context_edits.edit(context.workspace, wanted, fields, items)
    tell(edited, f"edited {_listed(fields, items)}", as_json)


def _listed(fields: dict[str, str], items: list[ItemEdit]) -> str:
    return ", ".join([*fields, *(item.id for item in items)])


def _from_editor(context: Context, name: str | None) -> tuple[dict[str, str], list[ItemEdit]]:
    """What a person changed in the form, in the editor that git would take."""
    editor: Any = context.workspace.repo.line("var", "GIT_EDITOR")
    if not any(context.environ.get(one) for one in ("GIT_EDITOR", "VISUAL", "EDITOR")):
        require_terminal("the editor", hint="frames edit --topic, --title, --goal, --item ID --text TEXT --state STATE")
    frame = context_edits.current_frame(context.workspace, name)
    try:
        text = click.edit(form_of(frame), editor=editor, extension=".txt", require_save=False)
    except click.ClickException as error:
        raise EnvironmentError_(
            f"the editor failed: {error.format_message()}", hint="set core.editor or GIT_EDITOR"
        ) from error
    if not text or not text.strip():
        raise NothingFound("the form came back empty, nothing was changed")
    changes = read_form(frame, text)
    return changes.fields, changes.items


def _text(text: str) -> str:
    if not text.strip():
        raise UsageError("the text is blank", hint="give it a word")
    return text.strip()


COMMANDS = {"decide": decide, "ask": ask, "answer": answer, "edit": edit}

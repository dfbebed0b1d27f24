"""Secrets are replaced by typed markers before anything is stored.

Three steps, each cheaper than the next is dear: a scan of the text for the literals of all rules at once, a rule's
pattern where its literal stands, and a judge that spares what only looks like a secret (placeholders, code, prose).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, Final, NamedTuple

from session_frames.errors import UsageError
from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact_rules import Rule

__all__ = [
    "DEFAULT",
    "Hit",
    "Policy",
    "Rule",
    "find_secrets",
    "policy",
    "redact_text",
    "redact_value",
    "rules_from_config",
]

Record = Callable[[str, str, int], None]


class Hit(NamedTuple):
    """A secret found: the rule that found it and where the value stands."""

    rule: str
    start: int
    end: int


class _Pattern:
    """A regular expression that is compiled when it is first used: importing this module has to be cheap."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern)

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.match

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.search

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        return self._compiled.finditer


_LONG = 400
_REMEMBERED_LENGTH = 120
SHORTEST = 8  # nothing shorter holds a name and a value
_MARKER = _Pattern(r"\[redacted:[A-Za-z0-9_-]{1,60}\]")
_RULE_NAME = _Pattern(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")


# --- what only looks like a secret ------------------------------------------------------------------------------

_PLACEHOLDER = _Pattern(
    r"""(?ix)
      ^[x*.\#_0\-?•·…]+$                          # xxxx, ****, ......
    | ^(?:none|null|nil|true|false|undefined|void|string|str|bytes?|object|number|boolean|optional|required
        |invalid|missing|unknown|empty|default|hidden|masked|secure|private|public|enabled|disabled|any|unset|bearer|basic)\b[?,;]?$
    | ^(?:\w*[_-])?(?:pass|password|passwd|passphrase|pwd|secret|token|apikey|api[_-]key|key|credentials?|value)s?$
    | ^[<\[({]{1,2}.*[>\])}]{1,2}$ | ^%\w*%?[sdrvq]?$ | ^%\w+%$ | ^\$\w*$ | ^[$#@%]{1,2}[({\[<] | ^\$[A-Za-z_]
    | \{\{ | \$\{ | ^<% | ^%\(
    | your[_-]|your(?=[A-Z])|\byour\b | example | placeholder | dummy
    | change[_-]?(?:me|it|this) | replace[_-]?(?:me|with|this)
    | insert[_-] | redacted | x{5} | \*{3} | \.{3} | … | ^my[_-]?(?:password|passwd|secret|token|api|key)[\w-]*$
    | environ | getenv | process\.env | \benv[.(\[] | import\.meta | secrets\.[A-Za-z]
    | ^(?:op|vault|keyring|ssm|env|file|secret):
    """
)
_ALL_THE_SAME: Final = frozenset("xX*.#_-0?•·…")
_DOCS_KEY = _Pattern(r"(?i)example|placeholder|your[_-]|x{6}|\*{4}|redacted")


_TOLD_BY = 120  # characters at the start of a value tell whether it is a placeholder


def _placeholder(value: str) -> bool:
    return not value or _PLACEHOLDER.search(value[:_TOLD_BY]) is not None


def _stands(text: str, match: re.Match[str], start: int, end: int) -> bool:
    """A key known by its prefix: only the sample keys of handbooks are spared."""
    value = text[start:end]
    body = re.split("[_.-]", value)[-1] or value
    return not (_DOCS_KEY.search(value) or (len(set(body[-12:]) - _ALL_THE_SAME) == 0))


# A name that ends so holds something about the secret, not the secret.
_ABOUT = _Pattern(
    r"""(?x)(?:
        (?:[_.-]|(?<=[a-z])(?=[A-Z]))(?i:ids?|name|names|type|types|path|paths|file|files|filename|dir|url|uri|urls|count|counts|limit
        |limits|len|length|size|budget|usage|used|total|cost|price|rate|per|ttl|expiry|expires|expiration|expire|age|field|policy|env
        |var|ref|arn|version|index|idx|regex|pattern|patterns|label|placeholder|header|prefix|suffix|format|hint|error|errors
        |message|msg|reset|required|enabled|provider|class|kind|status|state|scheme|scope|scopes|endpoint|manager|service|store|input|output
        |min|max|minlength|maxlength|strength|title|description|help|test|tests|at|in|date|time|timestamp|created|updated|exp|rules?
        |mode|algorithm|alg|method|position|pos|start|end|line|offset|map|list|set|cache|window|ratio|mask|hash_algo|tokens|stream|func
        |function|fn|handler|callback|factory|icon|button|form|page|screen|view|component
        |tsx?|jsx?|py|go|md|rs|sh|json|ya?ml|txt|html)s?
      | (?i:tokens?(?:iz|is)e[rd]?|tokeni[sz]\w*|secretary|passworded|passwordless|keyboard|keyed
        |keys?(?:words?|frames?|pairs?|points?))
    )$"""
)
_NAME_BEFORE = _Pattern(r"[A-Za-z0-9_.$-]*\Z")
_NUMBER = _Pattern(r"[+-]?[0-9][0-9_,]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?[kKmMsh%]?")
_PATH = _Pattern(
    r"(?:[A-Za-z]:|~|\.{1,2})?(?:/[\w.@-]+){2,}/?|(?:\./|\.\./|~/)\S+|[\w.-]+/[\w./-]*\.\w{1,5}|https?://\S+"
)
_UUID = _Pattern(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_WORDS = _Pattern(r"[A-Za-z_]+[0-9]{0,4}")
_COLOUR_OR_HEX = _Pattern(r"#[0-9A-Fa-f]{3,8}|0[xX][0-9A-Fa-f_]{1,16}")
_DOTTED = _Pattern(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+")
_SPEAKS = _Pattern(
    r"(?i)pass|pwd|secret|token|key|cred|auth|hash|sha\d|md5|utf|base\d|int\d|str|hmac|rsa|aes|bcrypt|argon|arg\d|param|ecdsa|ed25519"
)
_CUT = _Pattern(r"[&;,](?=[\w.-]*[=:]|$)|[),;.:\]}|*]+$|[)\]}]+[,;.:]|/?>")
_REST = _Pattern(r"""[^\s"'`<>]+""")
_SYMBOLS: Final = frozenset("!@#$%^&*+~?")


def _mixed(value: str) -> bool:
    """Letters of both cases in an order that no name has."""
    return len(re.findall(r"[A-Z](?=[a-z])|[a-z](?=[A-Z])", value)) >= 4 and not re.fullmatch(
        r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|[_-]){1,40}", value
    )


class _Named(NamedTuple):
    """An assignment as the judge sees it."""

    name: str
    value: str
    quoted: bool
    spaced: bool  # blanks or a colon between name and value: code or YAML, not an environment

    @property
    def shouts(self) -> bool:
        """The name of an environment variable: upper case."""
        return self.name.upper() == self.name

    @property
    def passes(self) -> bool:
        lowered = self.name.lower()
        return "pass" in lowered or "pwd" in lowered


def _is_code(it: _Named) -> bool:
    """Would a program read this bare value as an expression, not as a text?"""
    value = it.value
    environment = it.shouts and not it.spaced
    if "(" in value or value.startswith(("[", "{", "self.", "this.", "&", "*", "@", "!", "|", "/^")):
        return not environment or value.startswith("$(")
    if _DOTTED.fullmatch(value):
        return len(value) < 40 and not environment
    if not _WORDS.fullmatch(value):
        return bool(re.search(r"[\w)]\[|=>|->|::|\+\+|\?\.|==|!=", value)) and not environment
    if environment:
        return value.upper() == value and "_" in value
    if not it.passes:
        return True
    return not re.search("[0-9]", value) or _SPEAKS.search(value) is not None


def _is_value(it: _Named) -> bool:
    """Does this look like the value of a secret, given the name in front of it?"""
    name, value = it.name, it.value
    if len(value) < 6 or _ABOUT.search(name) or _placeholder(value) or value.startswith("-----"):
        return False
    if _NUMBER.fullmatch(value):
        return it.passes and value.isdigit()
    if _COLOUR_OR_HEX.fullmatch(value) or (len(value) < 8 and not it.passes and not it.shouts):
        return False
    if _PATH.fullmatch(value) or (_UUID.fullmatch(value) and not it.passes and "secret" not in name.lower()):
        return False
    if any(blank in value for blank in " \t"):
        return (
            it.quoted
            and it.passes
            and len(value.split()) <= 6
            and bool(re.search(r"[0-9][A-Za-z]|[A-Za-z][0-9]", value))
        )
    if not it.quoted and _is_code(it):
        return False
    if not value.isascii() or not re.search("[A-Za-z0-9]", value):
        return False
    if re.search("[0-9]", value):
        return re.search("[A-Za-z]", value) is not None or it.passes
    if it.shouts and (it.quoted or not it.spaced):
        return re.search("[a-z]", value) is not None
    if it.passes and it.quoted and len(_SYMBOLS & set(value)) > 0:
        return re.search(r"[\[\]()\\^|/]", value) is None
    return len(value) >= 16 and (_mixed(value) or (it.quoted and re.fullmatch("[a-z]+|[A-Z]+", value) is not None))


def _name_of(text: str, match: re.Match[str], start: int) -> tuple[str, str]:
    """The whole name around the key word, and what stands between name and value."""
    at = match.start()
    before = _NAME_BEFORE.search(text, max(0, at - 80), at)
    stretch = text[at:start]
    tail = re.match(r"(?:api|[A-Za-z]{1,12}) key|[\w.-]*", stretch, re.ASCII)
    assert before is not None
    assert tail is not None
    return before.group() + tail.group(), stretch[tail.end() :]


def _assigned(text: str, match: re.Match[str], start: int, end: int) -> bool:
    name, between = _name_of(text, match, start)
    quoted = match.re.groups == 2
    if not quoted and between[-1:] in "\"'`":  # the closing quote is cut off, or the value is over-long
        if text[end : end + 1] not in ("", "\n", "\r") and end - start < kinds.LONGEST_JUDGED:
            return False
        quoted = True
    return _is_value(_Named(name, text[start:end], quoted, between.strip("\"'`\\") != "="))


def _flag(text: str, match: re.Match[str], start: int, end: int) -> bool:
    name = re.match(r"--([A-Za-z-]+)", match.group())
    assert name is not None
    return _is_value(_Named(name[1], text[start:end], text[start - 1] in "\"'", True))


def _said(text: str, match: re.Match[str], start: int, end: int) -> bool:
    value = text[start:end]
    has_both = re.search("[0-9]", value) and re.search("[A-Za-z]", value)
    return (
        bool(has_both)
        and len(value) >= 6
        and not _placeholder(value)
        and not _SPEAKS.search(value)
        and "(" not in value
    )


def _local(text: str, match: re.Match[str], start: int, end: int) -> bool:
    value = text[start:end]
    if not re.search("[0-9]", value) or _placeholder(value) or (_NUMBER.fullmatch(value) and len(value) < 6):
        return False
    return re.search("[A-Za-z]", value) is not None and "(" not in value and not _PATH.fullmatch(value)


def _query(text: str, match: re.Match[str], start: int, end: int) -> bool:
    name, _ = _name_of(text, match, start)
    before = text[max(0, match.start() - len(name) - 1) : match.start()]
    if not re.search(r"[?&]|&amp;|%3[fF]|%26|\\u0026", before):
        return False
    value = text[start:end]
    strong = 6 if re.search("(?i)token|secret|passw", name) else 12
    return len(value) >= strong and not _placeholder(value) and re.search("[0-9]", value) is not None


def _userinfo(text: str, match: re.Match[str], start: int, end: int) -> bool:
    value = text[start:end]
    return not (
        _placeholder(value) or re.search(r"^[{$%<\[(]|\[\^|^\w+\(|^[0-9]{1,5}/|^//|^\.+$", value) or len(value) < 2
    )


def _header(text: str, match: re.Match[str], start: int, end: int) -> bool:
    value = text[start:end]
    if _placeholder(value) or "(" in value or (_DOTTED.fullmatch(value) and len(value) < 40):
        return False
    schemed = re.search(
        r"(?i)(?:bearer|basic|token|bot|digest|apikey|key|splunk)[ \t]+$", match.group()[: start - match.start()]
    )
    if re.search("[0-9]", value):
        return (schemed is not None and len(value) >= 8) or len(value) >= 20
    return (
        schemed is not None
        and len(value) >= 8
        and (re.search("[A-Z][^A-Z]*[A-Z]|=$", value) is not None or len(value) >= 16)
    )


def _bearer(text: str, match: re.Match[str], start: int, end: int) -> bool:
    value = text[start:end]
    if _placeholder(value) or (_DOTTED.fullmatch(value) and len(value) < 40):
        return False
    return re.search("[0-9].*[0-9]", value) is not None or _mixed(value)


def _quoted_password(text: str, match: re.Match[str], start: int, end: int) -> bool:
    return not _placeholder(text[start:end])


def _netrc(text: str, match: re.Match[str], start: int, end: int) -> bool:
    before = text[max(0, match.start() - 250) : match.start()]
    login = re.search(r"(?i)\blogin(?:\s|\\[nrt])+[^\s\\]+(?:\s|\\[nrt])+\Z", before)
    return login is not None and not _placeholder(text[start:end])


Judge = Callable[[str, "re.Match[str]", int, int], bool]
_JUDGES: Final[Mapping[str, Judge]] = {
    kinds.ASSIGNED: _assigned,
    kinds.FLAG: _flag,
    kinds.SAID: _said,
    kinds.LOCAL: _local,
    kinds.QUERY: _query,
    kinds.USERINFO: _userinfo,
    kinds.AUTHORIZATION: _header,
    kinds.BEARER: _bearer,
    "netrc-password": _netrc,
    "curl-password": _quoted_password,
    "sshpass-password": _quoted_password,
    "sql-password": _quoted_password,
}
_TRIMMED: Final = frozenset({kinds.ASSIGNED, kinds.FLAG, kinds.SAID, kinds.LOCAL, kinds.AUTHORIZATION})


# --- blocks of lines --------------------------------------------------------------------------------------------

# Between two lines of a block: real or escaped breaks, quotes, and what programs print in front of a line.
_BREAK = _Pattern(
    r"""(?:\\{1,8}(?:[nrt]|(?=[\s"']))|[\s"'`+,;|>:()│→#*]"""
    r"""|(?<=\n)-(?!-)|\x1b\[[0-9;]{0,8}m|[0-9]{1,7}(?=[ \t]*[:|→\t│]))+"""
)
_BODY = _Pattern(r"[A-Za-z0-9+/]+={0,3}|=[A-Za-z0-9+/]{4}")
_BLOCK_HEADER = _Pattern(r"(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|Subject): ?[^\n\r\\\"]{0,200}")
_FOOT = _Pattern(r"-----? ?END [A-Z0-9 ]{0,60}-{4,5}")
_PUTTY_LINE = _Pattern(
    r"(?:Encryption|Comment|Public-Lines|Private-Lines|Key-Derivation|Argon2-[A-Za-z]{1,20}|Private-MAC|Private-Hash):"
    r" ?[^\n\r\\\"]{0,200}"
)


def _is_body(piece: str, first: bool) -> bool:
    if len(piece) >= (24 if first else 16):
        return True
    coded = re.search(r"[0-9+/=]|[a-z][A-Z]", piece) is not None
    return coded and (not first or len(piece) >= 12)


def _block_end(text: str, at: int, wall: int) -> int | None:
    """The end of the key block whose head ends at ``at``; None where no key follows the head."""
    end: int | None = None
    while True:
        gap = _BREAK.match(text, at, wall)
        start = gap.end() if gap else at
        foot = _FOOT.match(text, start, wall)
        if foot:
            return foot.end() if end is not None else None
        header = _BLOCK_HEADER.match(text, start, wall)
        if header:
            at = header.end()
            continue
        body = _BODY.match(text, start, wall)
        if body is None or not _ends_line(text, body.end(), wall):
            return end
        if not _is_body(body.group(), end is None) and not (end is not None and _foot_follows(text, body.end(), wall)):
            return end
        at = end = body.end()


def _ends_line(text: str, at: int, wall: int) -> bool:
    return at == wall or _BREAK.match(text, at, wall) is not None


def _foot_follows(text: str, at: int, wall: int) -> bool:
    gap = _BREAK.match(text, at, wall)
    return _FOOT.match(text, gap.end() if gap else at, wall) is not None


def _putty_end(text: str, at: int, wall: int) -> int | None:
    """The end of a PuTTY key file whose first line begins before ``at``."""
    line = re.compile(r"[^\n\r\\\"]{0,100}").match(text, at, wall)
    end = line.end() if line else at
    seen = False
    while True:
        gap = _BREAK.match(text, end, wall)
        start = gap.end() if gap else end
        header = _PUTTY_LINE.match(text, start, wall)
        body = None if header else _BODY.match(text, start, wall)
        if gap is None or (header is None and (body is None or not _is_body(body.group(), True))):
            return end if seen else None
        seen = seen or header is not None
        end = header.end() if header else body.end() if body else end


_ENDS: Final[Mapping[str, Callable[[str, int, int], int | None]]] = {kinds.PEM: _block_end, kinds.PUTTY: _putty_end}


# --- the rules, compiled ----------------------------------------------------------------------------------------


class _Compiled(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    group: int
    judge: Judge
    end: Callable[[str, int, int], int | None] | None
    trimmed: bool


def _compile(rule: Rule) -> _Compiled:
    return _Compiled(
        rule.name,
        re.compile(rule.pattern, re.ASCII),
        rule.group,
        _JUDGES.get(rule.name, _stands),
        _ENDS.get(rule.name),
        rule.name in _TRIMMED and rule.group == 1,  # a quoted value (group 2) ends where its quotes do
    )


class _Place(NamedTuple):
    """A literal of a rule, as a probe finds it."""

    rule: int
    literal: bytes
    back: int  # characters from the end of the probe's match to the start of the literal


class _Probe(NamedTuple):
    """One pass over a text: where it matches, one of some literals may stand."""

    pattern: re.Pattern[bytes]
    cased: bool  # look at the text as it is, not in lower case
    places: Mapping[bytes, tuple[_Place, ...]]  # by what the probe matched


# A pass for one character costs next to nothing where that character is rare; which literal stands around it is
# asked there. In prose and code these are rarer than letters, and so are capitals.
_ANCHORS: Final = "_-.~="
_LOOK_BACK: Final = 6


def _anchor(literal: str) -> int:
    """Where in a literal its rarest character stands; -1 if it has none."""
    capitals = [at for at, letter in enumerate(literal) if letter.isupper()]
    if capitals:
        return capitals[0]
    marks = [literal.rfind(mark) for mark in _ANCHORS if mark in literal]
    return marks[0] if marks and (marks[0] >= 2 or len(literal) == 1) else -1


def _follow(literal: str) -> str:
    return f"(?={kinds.FOLLOWED_BY[literal]})" if literal in kinds.FOLLOWED_BY else ""


def _anchored_probe(anchor: str, cased: bool, table: Mapping[str, Sequence[int]]) -> _Probe:
    """All literals around the same rare character: that character, and what stands behind and before it."""
    sides: set[str] = set()
    backs: dict[int, set[str]] = {}
    places: dict[bytes, list[_Place]] = {}
    before: set[str] = set()
    for literal, rules in table.items():
        at = _anchor(literal)
        head, rest = literal[:at], literal[at + 1 :]
        found = (anchor + rest).encode()
        places.setdefault(found, []).extend(_Place(rule, literal.encode(), len(literal)) for rule in rules)
        before.add(head[-1:])
        if rest or not head:
            back = f"(?<={re.escape(head[-_LOOK_BACK:] + anchor)})" if head else ""
            sides.add(back + re.escape(rest) + _follow(literal))
        else:
            backs.setdefault(len(head[-_LOOK_BACK:]), set()).add(re.escape(head[-_LOOK_BACK:] + anchor))
    sides |= {f"(?<={'|'.join(sorted(group))})" for group in backs.values()}
    # Most anchors fall at the one character in front of them.
    screen = "" if "" in before else f"(?<=[{re.escape(''.join(sorted(before)))}]{re.escape(anchor)})"
    # What takes more characters comes first, for the match says which literals to look at.
    pattern = f"{re.escape(anchor)}{screen}(?:{'|'.join(sorted(sides, key=_takes, reverse=True))})"
    # Where a longer one was matched, a shorter one may stand as well.
    whole = {
        found: tuple(
            place._replace(back=place.back + len(found) - len(other))
            for other, entries in places.items()
            if found.startswith(other)
            for place in entries
        )
        for found in places
    }
    return _Probe(re.compile(pattern.encode()), cased, whole)


def _takes(side: str) -> tuple[int, str]:
    return len(re.sub(r"\(\?<?=.*?\)|\\", "", side)), side


def _plain_probes(table: Mapping[str, Sequence[int]]) -> Iterator[_Probe]:
    """One pass a literal; a literal that holds another is found by that one."""
    cores: dict[str, list[_Place]] = {core: [] for core in kinds.CORES}
    for literal in sorted(table, key=len):
        core = next((core for core in cores if core in literal), literal)
        back = literal.find(core) + len(core)
        cores.setdefault(core, []).extend(_Place(rule, literal.encode(), back) for rule in table[literal])
    for core, places in cores.items():
        yield _Probe(re.compile((re.escape(core) + _follow(core)).encode()), False, {core.encode(): tuple(places)})


def _probes(literals: Mapping[str, Sequence[int]]) -> Iterator[_Probe]:
    """As few passes as find every literal (benchmarks/redact.py tells what they cost)."""
    anchored: dict[tuple[str, bool], dict[str, Sequence[int]]] = {}
    plain: dict[str, Sequence[int]] = {}
    for literal, rules in literals.items():
        if _anchor(literal) < 0:
            plain[literal] = rules
        else:
            cased = literal != literal.lower()
            anchored.setdefault((literal[_anchor(literal)], cased), {})[literal] = rules
    for (anchor, cased), table in anchored.items():
        yield _anchored_probe(anchor, cased, table)
    yield from _plain_probes(plain)


class _Engine:
    """The rules of a policy, ready to run."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = [_compile(rule) for rule in rules]
        narrow: dict[str, list[int]] = {}
        self.wide_rules: dict[str, list[int]] = {}
        for index, rule in enumerate(rules):
            for literal in rule.literals:
                (narrow if literal.isascii() else self.wide_rules).setdefault(literal, []).append(index)
        self.probes = list(_probes(narrow))
        self.wide = re.compile("|".join(map(re.escape, self.wide_rules)))

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """(rule, start) wherever a literal of a rule stands in the text."""
        # One byte a character, so a place in these is a place in the text.
        cased = text.encode("ascii", "replace")
        lowered = cased.lower()
        for probe in self.probes:
            shadow = cased if probe.cased else lowered
            for match in probe.pattern.finditer(shadow):
                end = match.end()
                for index, literal, back in probe.places[match.group()]:
                    if end >= back and shadow.startswith(literal, end - back):
                        yield index, end - back
        if not text.isascii():
            for wide in self.wide.finditer(text):
                for index in self.wide_rules[wide.group()]:
                    yield index, wide.start()


class Policy:
    """Which secrets are looked for, and which false hits stay. Nothing is compiled before the first text."""

    def __init__(self, extra: Sequence[Rule] = (), allow: Sequence[str] = ()) -> None:
        self.extra = tuple(extra)
        self.allow = tuple(allow)
        # Keys and enum values with a literal in them (``input_tokens``) come again in every record.
        self._redact_short = lru_cache(maxsize=4096)(self._redact)

    def suspects(self, texts: Sequence[str]) -> frozenset[str]:
        """Those of many texts that are worth a look of their own: long, or a literal of a rule stands in them.

        The short ones are scanned as one text: a scan has its price however little there is to scan.
        """
        long = [text for text in texts if len(text) >= _LONG]
        short = [text for text in texts if len(text) < _LONG]
        joined = "\n".join(short)
        if any(_may_match(literals, joined) for _, literals in self._searched):
            return frozenset(texts)
        starts = [0, *accumulate(len(text) + 1 for text in short)]
        found = {short[bisect_right(starts, place) - 1] for _, place in self._engine.places(joined)}
        return frozenset((*long, *found))

    def redact_again(self, text: str) -> tuple[str, list[Hit]]:
        """``redact_text``, remembering the short texts."""
        return self._redact_short(text) if len(text) <= _REMEMBERED_LENGTH else self._redact(text)

    def _redact(self, text: str) -> tuple[str, list[Hit]]:
        return redact_text(text, self)

    def allows(self, value: str) -> bool:
        """Is this a false hit that the team wants to stay?"""
        return bool(self.allow) and self._allowed(value)

    @cached_property
    def _engine(self) -> _Engine:
        return _Engine(kinds.RULES)

    @cached_property
    def _searched(self) -> list[tuple[_Compiled, tuple[str, ...]]]:
        return [(_compile_extra(rule), tuple(literal.lower() for literal in rule.literals)) for rule in self.extra]

    @cached_property
    def _allowed(self) -> Callable[[str], bool]:
        exact = frozenset(self.allow)
        patterns = [pattern for entry in self.allow if (pattern := _as_pattern(entry)) is not None]
        return lambda value: value in exact or any(pattern.fullmatch(value) for pattern in patterns)

    def raw_hits(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, rank of the rule) of every match that is judged a secret; they may overlap."""
        hits: list[tuple[int, int, int]] = []
        places = list(self._engine.places(text))
        if not places and not self.extra:
            return hits
        walls = _Walls(text)
        last: dict[int, tuple[int, int]] = {}
        rules = self._engine.rules
        for index, at in places:
            start, end = last.get(index, (0, 0))
            if start <= at < end or walls.inside(at):
                continue
            rule = rules[index]
            match = rule.pattern.match(text, at, walls.after(at))
            span = match and self._span(rule, text, match, walls.after(at))
            if span:
                last[index] = span
                hits.append((*span, index))
        for rank, (rule, literals) in enumerate(self._searched, len(rules)):
            if not _may_match(literals, text):
                continue
            for begin, stop in walls.free():
                for match in rule.pattern.finditer(text, begin, stop):
                    span = self._span(rule, text, match, stop)
                    if span:
                        hits.append((*span, rank))
        return hits

    def _span(self, rule: _Compiled, text: str, match: re.Match[str], wall: int) -> tuple[int, int] | None:
        start, end = match.span(rule.group)
        if rule.trimmed:
            cut = _CUT.search(text, start, end)
            end = cut.start() if cut else end
        if rule.end is not None:
            found = rule.end(text, end, wall)
            if found is None:
                return None
            end = found
        if start >= end or not rule.judge(text, match, start, end) or self.allows(text[start:end]):
            return None
        if match.end(rule.group) - start == kinds.LONGEST_JUDGED:
            rest = _REST.match(text, match.end(rule.group), wall)
            end = rest.end() if rest else end
        return start, end

    def name(self, rank: int) -> str:
        rules = self._engine.rules
        return rules[rank].name if rank < len(rules) else self.extra[rank - len(rules)].name


def policy(extra: Sequence[Rule] = (), allow: Sequence[str] = ()) -> Policy:
    """The built-in rules and a team's own; ``allow`` holds false hits that stay, as they stand or as patterns."""
    return Policy(extra, allow)


DEFAULT: Final = Policy()


def _always(text: str, match: re.Match[str], start: int, end: int) -> bool:
    return True


def _compile_extra(rule: Rule) -> _Compiled:
    return _Compiled(rule.name, re.compile(rule.pattern), rule.group, _always, None, False)


def _as_pattern(entry: str) -> re.Pattern[str] | None:
    try:
        return re.compile(entry)
    except re.error:
        return None


def _may_match(literals: Sequence[str], text: str) -> bool:
    if not literals:
        return True
    lowered = text.lower()
    return any(literal in lowered for literal in literals)


class _Walls:
    """The markers that already stand in a text: no hit reaches into one, so redacting twice changes nothing."""

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in _MARKER.finditer(text)] if "[redacted:" in text else []
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]
        self.length = len(text)

    def inside(self, at: int) -> bool:
        before = bisect_right(self.starts, at)
        return before > 0 and at < self.ends[before - 1]

    def after(self, at: int) -> int:
        """Where the first marker behind ``at`` begins, or the end of the text."""
        behind = bisect_right(self.starts, at)
        return self.starts[behind] if behind < len(self.starts) else self.length

    def free(self) -> Iterator[tuple[int, int]]:
        yield from zip([0, *self.ends], [*self.starts, self.length], strict=True)


def _joined(hits: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Overlapping hits as one that covers them all, named by the rule that stands first in the table."""
    joined: list[tuple[int, int, int]] = []
    for start, end, rank in sorted(hits):
        if joined and start < joined[-1][1]:
            first, stop, other = joined[-1]
            joined[-1] = (first, max(stop, end), min(other, rank))
        else:
            joined.append((start, end, rank))
    return joined


def marker(rule: str) -> str:
    """What stands in the place of a secret."""
    return f"[redacted:{rule}]"


def _replaced(text: str, hits: Sequence[Hit]) -> str:
    pieces: list[str] = []
    at = 0
    for hit in hits:
        pieces += (text[at : hit.start], marker(hit.rule))
        at = hit.end
    return "".join((*pieces, text[at:]))


def _in_original(hits: Sequence[Hit], later: Iterable[Hit]) -> list[Hit]:
    """Hits found in the text in which ``hits`` are replaced, as places of the text before."""
    placed: list[Hit] = []
    ends: list[int] = []  # of the markers, in the replaced text
    shifts: list[int] = []
    shift = 0
    for hit in hits:
        shift += hit.end - hit.start - len(marker(hit.rule))
        ends.append(hit.end - shift)
        shifts.append(shift)
    for hit in later:
        before = bisect_right(ends, hit.start)
        moved = shifts[before - 1] if before else 0
        placed.append(Hit(hit.rule, hit.start + moved, hit.end + moved))
    return placed


def find_secrets(text: str, policy: Policy) -> list[Hit]:
    """The secrets in a text, in order, none overlapping another.

    What a replaced hit brings to light (a value that was part of a longer candidate) is looked for again until nothing
    is found, so that a redacted text holds no hit.
    """
    if len(text) < SHORTEST:
        return []
    found: list[Hit] = []
    current = text
    while True:
        fresh = [Hit(policy.name(rank), start, end) for start, end, rank in _joined(policy.raw_hits(current))]
        if not fresh:
            return found
        found = sorted((*found, *_in_original(found, fresh)), key=lambda hit: hit.start)
        current = _replaced(text, found)


def redact_text(text: str, policy: Policy) -> tuple[str, list[Hit]]:
    """The text with every secret replaced by its marker, and where they stood."""
    hits = find_secrets(text, policy)
    return (_replaced(text, hits), hits) if hits else (text, hits)


# --- values and settings ----------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _names_a_secret(key: str) -> bool:
    return kinds.name_pattern().search(key) is not None and _ABOUT.search(key) is None


class _Walk:
    """One walk over a JSON value; counts what it replaces."""

    def __init__(self, policy: Policy, suspects: frozenset[str]) -> None:
        self.policy = policy
        self.suspects = suspects
        self.counts: dict[str, int] = {}

    def value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            return self.text(value, key)
        if isinstance(value, dict):
            return self.mapping(value)
        if isinstance(value, list):
            items = [self.value(item, key) for item in value]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        return value

    def mapping(self, value: dict[Any, Any]) -> dict[Any, Any]:
        changed = False
        copy: dict[Any, Any] = {}
        for key, item in value.items():
            new_key = self.text(key) if isinstance(key, str) else key
            new_item = self.value(item, key if isinstance(key, str) else "")
            changed = changed or new_key is not key or new_item is not item
            copy[_free_key(new_key, copy)] = new_item
        return copy if changed else value

    def text(self, text: str, key: str = "") -> str:
        if text in self.suspects:
            redacted, hits = self.policy.redact_again(text)
            for hit in hits:
                self.count(hit.rule)
            if hits:
                return redacted
        # A name that says its value is secret holds a literal, and so is a suspect itself.
        if key in self.suspects and _names_a_secret(key) and self.named_value(key, text):
            self.count(kinds.ASSIGNED)
            return marker(kinds.ASSIGNED)
        return text

    def named_value(self, key: str, text: str) -> bool:
        """Is the text the value that the key in front of it says is secret?"""
        return _is_value(_Named(key, text, True, True)) and not _MARKER.search(text) and not self.policy.allows(text)

    def count(self, rule: str) -> None:
        self.counts[rule] = self.counts.get(rule, 0) + 1


def _strings(value: Any) -> list[str]:
    """Every text in a JSON value, keys too."""
    texts: list[str] = []
    left = [value]
    while left:
        node = left.pop()
        if isinstance(node, str):
            texts.append(node)
        elif isinstance(node, dict):
            left += node.values()
            texts += [key for key in node if isinstance(key, str)]
        elif isinstance(node, list):
            left += node
    return texts


def _free_key(key: Any, taken: Mapping[Any, Any]) -> Any:
    """Two keys that become the same marker both stay."""
    free, number = key, 2
    while free in taken:
        free, number = f"{key}#{number}", number + 1
    return free


def redact_value(value: Any, policy: Policy, where: str, record: Record) -> Any:
    """A JSON value with the secrets in its strings and keys replaced; the same object where there are none.

    ``record`` is told, once a rule, how many were replaced.
    """
    suspects = policy.suspects(_strings(value))
    if not suspects:
        return value
    walk = _Walk(policy, suspects)
    redacted = walk.value(value)
    for rule, count in walk.counts.items():
        record(rule, where, count)
    return redacted


def rules_from_config(config: Mapping[str, Any]) -> Policy:
    """The policy that ``redaction`` in ``.copilot/config.yaml`` asks for."""
    section = config.get("redaction") or {}
    if not isinstance(section, Mapping):
        raise UsageError("cannot read the setting 'redaction': it has to hold 'rules' and 'allow'")
    rules = [_configured(entry, number) for number, entry in enumerate(_list(section, "rules"), 1)]
    allow = [_allowed(entry, number) for number, entry in enumerate(_list(section, "allow"), 1)]
    return policy(rules, allow)


def _list(section: Mapping[str, Any], key: str) -> Sequence[Any]:
    entries = section.get(key) or []
    if not isinstance(entries, list):
        raise UsageError(f"cannot read the setting 'redaction.{key}': it has to be a list")
    return entries


def _configured(entry: Any, number: int) -> Rule:
    place = f"redaction.rules[{number}]"
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(name, str) or not _RULE_NAME.fullmatch(name):
        raise UsageError(f"cannot use the rule '{place}': its name has to be letters, digits, '-' and '_'")
    place = f"{place} {name}"
    pattern = entry.get("pattern")
    if not isinstance(pattern, str) or not pattern:
        raise UsageError(f"cannot use the rule '{place}': it has no pattern")
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"cannot use the rule '{place}': its pattern is not one ({error})") from error
    _refuse_bad(pattern, compiled, f"the rule '{place}'")
    literals = entry.get("literals") or []
    if isinstance(literals, str) or not all(isinstance(literal, str) and literal for literal in literals):
        raise UsageError(f"cannot use the rule '{place}': its literals have to be a list of words")
    group = 1 if compiled.groups == 1 else 0
    return Rule(name, tuple(literals), pattern, group)


def _allowed(entry: Any, number: int) -> str:
    place = f"the entry 'redaction.allow[{number}]'"
    if not isinstance(entry, str) or not entry:
        raise UsageError(f"cannot use {place}: it has to be a text or a pattern")
    compiled = _as_pattern(entry)
    if compiled is not None:  # else it is a text, and stays as such
        _refuse_bad(entry, compiled, place)
    return entry


def _refuse_bad(pattern: str, compiled: re.Pattern[str], place: str) -> None:
    if compiled.match(""):
        raise UsageError(f"cannot use {place}: it matches the empty text")
    if nests_repeats(pattern):
        raise UsageError(f"cannot use {place}: one unbounded repeat stands inside another, which can take forever")


def nests_repeats(pattern: str) -> bool:
    """Does an unbounded repeat stand inside another one? Such a pattern can take exponential time."""
    # Only the standard library's own parser reads patterns as they are run.
    parser: Any = getattr(re, "_parser")  # noqa: B009
    return _nests(parser.parse(pattern), False, parser.MAXREPEAT)


def _nests(node: Any, inside: bool, unbounded: Any) -> bool:
    if isinstance(node, (list, tuple)) or hasattr(node, "data"):
        parts = list(node)
        if len(parts) == 3 and isinstance(parts[0], int) and hasattr(parts[2], "data"):  # (low, high, repeated)
            endless = parts[1] == unbounded
            return (endless and inside) or _nests(parts[2], inside or endless, unbounded)
        return any(_nests(part, inside, unbounded) for part in parts)
    return False

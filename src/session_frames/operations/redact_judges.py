"""What only looks like a secret: placeholders, code, prose, and values that are about a secret."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact_pattern import Pattern

_PLACEHOLDER = Pattern(
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
_DOCS_KEY = Pattern(r"(?i)example|placeholder|your[_-]|x{6}|\*{4}|redacted")


_TOLD_BY = 120  # characters at the start of a value tell whether it is a placeholder


def _placeholder(value: str) -> bool:
    return not value or _PLACEHOLDER.search(value[:_TOLD_BY]) is not None


def stands(text: str, match: re.Match[str], start: int, end: int) -> bool:
    """A key known by its prefix: only the sample keys of handbooks are spared."""
    value = text[start:end]
    body = re.split("[_.-]", value)[-1] or value
    return not (_DOCS_KEY.search(value) or (len(set(body[-12:]) - _ALL_THE_SAME) == 0))


# A name that ends so holds something about the secret, not the secret.
_ABOUT = Pattern(
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
_NAME_SIGNS: Final = string.ascii_letters + string.digits + "_.$-"
_NAME_TAIL = Pattern(r"(?:api|[A-Za-z]{1,12}) key|[\w.-]*", re.ASCII)
_NUMBER = Pattern(r"[+-]?[0-9][0-9_,]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?[kKmMsh%]?")
_PATH = Pattern(
    r"(?:[A-Za-z]:|~|\.{1,2})?(?:/[\w.@-]+){2,}/?|(?:\./|\.\./|~/)\S+|[\w.-]+/[\w./-]*\.\w{1,5}|https?://\S+"
)
_UUID = Pattern(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_WORDS = Pattern(r"[A-Za-z_]+[0-9]{0,4}")
_DIGIT = Pattern("[0-9]")
_LETTER = Pattern("[A-Za-z]")
_DIGIT_BY_LETTER = Pattern("[0-9][A-Za-z]|[A-Za-z][0-9]")
_TWO_DIGITS = Pattern("[0-9].*[0-9]")
_COLOUR_OR_HEX = Pattern(r"#[0-9A-Fa-f]{3,8}|0[xX][0-9A-Fa-f_]{1,16}")
_DOTTED = Pattern(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+")
_SPEAKS = Pattern(
    r"(?i)pass|pwd|secret|token|key|cred|auth|hash|sha\d|md5|utf|base\d|int\d|str|hmac|rsa|aes|bcrypt|argon|arg\d|param|ecdsa|ed25519"
)
_CASE_CHANGE = Pattern("[A-Z](?=[a-z])|[a-z](?=[A-Z])")
# Possessive: what is taken once is not divided anew, which would take exponential time.
_CAMEL = Pattern("(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+|[_-]){1,40}+")
_EXPRESSION = Pattern(r"[\w)]\[|=>|->|::|\+\+|\?\.|==|!=")
_SYMBOLS: Final = frozenset("!@#$%^&*+~?")
_FROM_DIGIT_TO_LETTER = Pattern("[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])")
_BEHIND_A_USER = Pattern(
    r"(?i)\b(?:user(?:name)?|login|account|id)(?: is|[:=])? ?[^\s,;/:]{1,60} ?"
    r"(?:[,;/]|(?<= )(?:and|with|&) )(?: and)? ?(?:the )?\Z"
)
# What a number behind a word for a password counts or names, and what follows ``-p`` without being one.
_NO_WIDE_PASSWORD = Pattern(
    "최대|최소|약|길이|오류|에러|코드|포트|버전|이슈|문서|最|長|約|エラー|コード|ポート|バージョン|第|错误"
)
_NO_MYSQL_PASSWORD = Pattern(r"assword\S*|[0-9.]*(?::[0-9.]+)+|[0-9]{1,5}|ort\S*|rotocol\S*|rompt\S*")


def _mixed(value: str) -> bool:
    """Letters of both cases in an order that no name has."""
    if value.islower() or value.isupper():
        return False
    return len(list(_CASE_CHANGE.finditer(value))) >= 4 and not _CAMEL.fullmatch(value)


@lru_cache(maxsize=4096)
def _is_about(name: str) -> bool:
    return _ABOUT.search(name) is not None


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
        return not environment and _EXPRESSION.search(value) is not None
    if environment:
        return value.upper() == value and "_" in value
    if not it.passes:
        return True
    return not _DIGIT.search(value) or _SPEAKS.search(value) is not None


def _is_value(it: _Named) -> bool:
    """Does this look like the value of a secret, given the name in front of it?"""
    return len(it.value) >= 6 and _looks_secret(it) and not _is_about(it.name) and not _placeholder(it.value)


def _looks_secret(it: _Named) -> bool:
    value = it.value
    if value.startswith("-----"):
        return False
    if _NUMBER.fullmatch(value):
        return it.passes and value.isdigit()
    if _COLOUR_OR_HEX.fullmatch(value) or (len(value) < 8 and not it.passes and not it.shouts):
        return False
    if ("/" in value and _PATH.fullmatch(value)) or (
        _UUID.fullmatch(value) and not it.passes and "secret" not in it.name.lower()
    ):
        return False
    if " " in value or "\t" in value:
        return it.quoted and it.passes and len(value.split()) <= 6 and _DIGIT_BY_LETTER.search(value) is not None
    return value.isascii() and _has_signs_of_a_secret(it) and (it.quoted or not _is_code(it))


def _has_signs_of_a_secret(it: _Named) -> bool:
    """Are there digits, capitals or symbols in it that no ordinary word has?"""
    value = it.value
    if _DIGIT.search(value):
        return it.passes or _LETTER.search(value) is not None
    if not _LETTER.search(value):
        return False
    if it.shouts and (it.quoted or not it.spaced):
        return re.search("[a-z]", value) is not None
    if it.passes and it.quoted and len(_SYMBOLS & set(value)) > 0:
        return re.search(r"[\[\]()\\^|/]", value) is None
    return len(value) >= 16 and (_mixed(value) or (it.quoted and re.fullmatch("[a-z]+|[A-Z]+", value) is not None))


LONGEST_NAME: Final = 120
_KEY: Final = Pattern(rf"""[^"\\\x00-\x1f]{{1,{LONGEST_NAME}}}""")  # what is longer or has breaks in it is no name


def is_value(name: str, value: str) -> bool:
    """Is this text a secret, as the key in front of it in a JSON value says?"""
    return _is_value(_Named(name, value, quoted=True, spaced=True))


@lru_cache(maxsize=4096)
def names_a_secret(key: str) -> bool:
    """Does a key say that its value is secret?"""
    return bool(_KEY.fullmatch(key)) and kinds.name_pattern().search(key) is not None and not _is_about(key)


def _name_of(text: str, match: re.Match[str], start: int) -> tuple[str, str]:
    """The whole name around the key word, and what stands between name and value."""
    at = match.start()
    before = text[max(0, at - 80) : at]
    stretch = text[at:start]
    tail = _NAME_TAIL.match(stretch)
    assert tail is not None
    return before[len(before.rstrip(_NAME_SIGNS)) :] + tail.group(), stretch[tail.end() :]


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
    has_both = _DIGIT.search(value) and _LETTER.search(value)
    return (
        bool(has_both)
        and len(value) >= 6
        and not _placeholder(value)
        and not _SPEAKS.search(value)
        and "(" not in value
    )


def _said_key(text: str, match: re.Match[str], start: int, end: int) -> bool:
    value = text[start:end]
    if _placeholder(value) or _UUID.fullmatch(value) or _PATH.fullmatch(value) or _DOTTED.fullmatch(value):
        return False
    # A key goes to and fro between letters and digits, as no name with a version or a date does.
    changes = len(list(_FROM_DIGIT_TO_LETTER.finditer(value)))
    told = re.search(" (?:is|was)[ :]", match.group()) is not None
    return changes >= 3 if told else changes >= 4 and len(value) >= 20


def _login(text: str, match: re.Match[str], start: int, end: int) -> bool:
    before = text[max(0, match.start() - 100) : match.start()]
    return _BEHIND_A_USER.search(before) is not None and _said(text, match, start, end)


# What stands behind ``pass:`` and ``pwd=`` without being a password: places, calls, hashes, dates and durations.
_NO_SHORT_PASSWORD = Pattern(
    r"[/~.$\\+,;:)(|<>=-].*|[A-Za-z]:.*|.*[/(\[{=].*|[0-9a-f-]+|[0-9]{4}-[0-9]{2}.*|(?:[0-9.]+[a-zµ%]{1,3})+"
)


def _short(text: str, match: re.Match[str], start: int, end: int) -> bool:
    """A word of every program, so the value has to look like a password more than behind a longer name."""
    value = text[start:end]
    quoted = match.re.groups == 2
    if len(value) < 8 or not value.isascii() or _NO_SHORT_PASSWORD.fullmatch(value) or _placeholder(value):
        return False
    if not _DIGIT.search(value) or not _LETTER.search(value) or _COLOUR_OR_HEX.fullmatch(value):
        return False
    if _DOTTED.fullmatch(value) or _EXPRESSION.search(value) or _SPEAKS.search(value):
        return False
    name, between = _name_of(text, match, start)
    signed = bool(between.strip(" \t\\\"'`]"))
    verb = name.lower() == "pass"  # pass `name2Spec` to it
    changes = len(list(_FROM_DIGIT_TO_LETTER.finditer(value)))
    if quoted and not verb:
        return changes >= (1 if signed else 2)
    return changes >= (3 if value.islower() or not signed else 2)


def _local(text: str, match: re.Match[str], start: int, end: int) -> bool:
    value = text[start:end]
    if not value[0].isascii():
        return _NO_WIDE_PASSWORD.match(value) is None
    if not _DIGIT.search(value) or _placeholder(value) or (_NUMBER.fullmatch(value) and len(value) < 6):
        return False
    return _LETTER.search(value) is not None and "(" not in value and not _PATH.fullmatch(value)


def _mysql(text: str, match: re.Match[str], start: int, end: int) -> bool:
    return not _placeholder(text[start:end]) and _NO_MYSQL_PASSWORD.fullmatch(text, start, end) is None


def _htpasswd(text: str, match: re.Match[str], start: int, end: int) -> bool:
    takes_it = re.search(r"[ \t]-[A-Za-z]{0,8}b", match.group()) is not None
    return takes_it and not _placeholder(text[start:end])


def _openssl(text: str, match: re.Match[str], start: int, end: int) -> bool:
    before = text[max(0, match.start() - 20) : match.start()]
    return re.search(r"""-pass(?:in|out)?[ \t=]{1,4}\\?["']?\Z""", before) is not None and not _placeholder(
        text[start:end]
    )


_QUERY_SIGN = Pattern(r"[?&]|&amp;|%3[fF]|%26|\\u0026")


def _query(text: str, match: re.Match[str], start: int, end: int) -> bool:
    name, _ = _name_of(text, match, start)
    before = text[max(0, match.start() - len(name) - 1) : match.start()]
    if not _QUERY_SIGN.search(before):
        return False
    value = text[start:end]
    strong = 6 if re.search("(?i)token|secret|passw", name) else 12
    return len(value) >= strong and _DIGIT.search(value) is not None and not _placeholder(value)


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
    if _DIGIT.search(value):
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
    return _TWO_DIGITS.search(value) is not None or _mixed(value)


def _quoted_password(text: str, match: re.Match[str], start: int, end: int) -> bool:
    return not _placeholder(text[start:end])


def _netrc(text: str, match: re.Match[str], start: int, end: int) -> bool:
    before = text[max(0, match.start() - 250) : match.start()]
    if "login" not in before.lower():
        return False
    login = re.search(r"(?i)\blogin(?:\s|\\[nrt])+[^\s\\]+(?:\s|\\[nrt])+\Z", before)
    return login is not None and not _placeholder(text[start:end])


Judge = Callable[[str, "re.Match[str]", int, int], bool]
JUDGES: Final[Mapping[str, Judge]] = {
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
    "redis-password": _quoted_password,
    "piped-password": _quoted_password,
    kinds.MYSQL: _mysql,
    kinds.HTPASSWD: _htpasswd,
    kinds.OPENSSL: _openssl,
    kinds.SAID_KEY: _said_key,
    kinds.LOGIN: _login,
    kinds.SHORT: _short,
}

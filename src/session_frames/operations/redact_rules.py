"""The kinds of secrets, as a table.

A pattern is tried only where one of its literals stands in the text (upper or lower case), starting at the literal
itself: what has to come before it is said by a look-behind. ``group`` is the part of the match that holds the value.
Every pattern is linear: no unbounded repeat stands inside another, and where a long run could be tried from each of
its characters the pattern asks for a border in front.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from session_frames.operations.redact_pattern import Rule
from session_frames.operations.redact_prefixes import EDGE, PREFIXED

# The keys below are blocks of lines: the pattern finds the head, redact_blocks.py the end.
PEM: Final = "private-key"
PUTTY: Final = "putty-private-key"
_BLOCKS: Final = (
    Rule(PEM, ("-----BEGIN ", "---- BEGIN "), r"-----? ?BEGIN (?:[A-Z0-9]{1,20} ){0,5}PRIVATE KEY(?: BLOCK)? ?-{4,5}"),
    Rule(PUTTY, ("PuTTY-User-Key-File-",), r"PuTTY-User-Key-File-[0-9]:"),
)

# What may stand between a name and its sign: closing quotes (escaped any number of times), a bracket, a type.
_CLOSE = r"""\\{0,8}["'`]?\]?"""
_TYPE = r"""(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z][A-Za-z0-9_.\[\]| ?]{0,40}(?==)|[ \t]{1,4}string(?=[ \t]{0,4}=))?"""
_SIGN = r"""[ \t]{0,16}(?:=>|:=|=(?![=~>])|:(?![:=])|\uff1a|\uff1d)[ \t\u3000]{0,16}"""
# A name goes on behind its key word (``API_KEY_PROD``, ``passwordHash``); the judge reads the whole of it.
_TAIL = r"[A-Za-z0-9_.-]{0,40}"
_QUOTED = r"""[bBrRuU@$]?(\\{0,8}["'`])([^\r\n]{1,600}?)(?<!\\)\1"""
# A longer value is taken up to its end once its start is judged, so that a run of names costs no square of its length.
LONGEST_JUDGED: Final = 256
_PLAIN = r"""[^\s"'`\\<>\uff0c\u3002\u3001]"""
_BACKSLASH = r"""\\(?![nrtbfu"'`\\])"""
# A run of one class of characters is far faster than a choice at each of them, which only a backslash asks for.
_BARE = f"({_PLAIN}{{6,256}}+(?!{_BACKSLASH})|(?:{_PLAIN}|{_BACKSLASH}){{6,256}})"

# ``key`` alone is a word of every program; these in front make it one that opens something.
_KEY_KINDS = "api access private secret encryption signing master auth service account shared storage client".split()
_KEY = "key(?:" + "|".join(f"(?<={kind}key)|(?<={kind}[ _-]key)" for kind in _KEY_KINDS) + ")"
_NAME = rf"(?i:passwords?|passwd|passphrase|secrets?|tokens?|credentials?|(?<=[_-])(?:pwd|pass(?![a-z]))|{_KEY})"
_NAME_LITERALS = ("passw", "passphrase", "secret", "token", "credential", "pwd", "pass", "key")

ASSIGNED: Final = "assigned-secret"
FLAG: Final = "flag-secret"
SAID: Final = "said-password"
QUERY: Final = "url-secret"
USERINFO: Final = "url-password"
BEARER: Final = "bearer-token"
AUTHORIZATION: Final = "authorization"
LOCAL: Final = "named-secret"
SAID_KEY: Final = "said-key"
LOGIN: Final = "login-password"
SHORT: Final = "short-password"
MYSQL: Final = "mysql-password"
HTPASSWD: Final = "htpasswd-password"
OPENSSL: Final = "openssl-password"

_LOCAL_PASSWORDS = (
    *("비밀번호", "암호", "패스워드", "비번", "パスワード", "暗証番号"),
    *("密码", "密碼", "口令"),
)
_LOCAL_NAMES = (
    *_LOCAL_PASSWORDS,
    *("토큰", "시크릿", "인증키", "API 키", "API키"),
    *("トークン", "シークレット", "APIキー", "秘密鍵"),
    *("令牌", "密钥", "金鑰", "秘钥"),
)
# What a password in wide letters is made of, and what says that a number counts something.
_WIDE = r"[\uac00-\ud7a3\u3041-\u30ff\u3400-\u9fff]"
_COUNTED = (
    "자|글자|개|회|번|년|월|일|시|분|초|줄|행|비트|바이트|원|명"
    "|文字|桁|回|年|月|日|時|分|秒|行|件|個|番|ビット|字|位|个|次|号"
)
_FLAGS = (
    *("--password", "--passphrase", "--token", "--secret", "--apikey"),
    *("--api-key", "--access-key", "--auth-token", "--secret-key"),
)
_GAP = r"(?:\s|\\[nrt]){1,8}"
_VALUE = r"""[^\s"'`\\<>]"""
_ARGUMENT = r"[^\s|;&<>]{1,200}"
_FLAGGED = r"(?:[ \t]{1,4}-[A-Za-z]{1,8}(?:[ \t]{1,4}[0-9]{1,2}(?=[ \t]))?){1,5}+"

# The short names are words of every program and of every path; in a sentence the long ones need no sign either.
_SHORT_LITERALS = ("pwd", "pass", "pw:", "pw=", "pw ", 'pw"', "pw'", "pw\\")
_SHORT_NAME = r"(?<![\w-])(?i:pwd|passwd|password|passphrase|pass|pw)(?![\w.-])"
_SHORT_SIGN = rf"(?:{_CLOSE}{_SIGN}|(?: for (?:[^\s\"'`]{{1,40}} ){{1,4}}?| )is:? {{1,4}})"

_BY_CONTEXT: Final = (
    Rule(
        "aws-secret-key",
        ("secret_access_key", "secretaccesskey", "aws_secret_key", "secret access key"),
        rf"(?i:(?:aws_)?secret[_ ]?(?:access[_ ]?)?key){_CLOSE}(?:{_SIGN}|[ \t]{{1,8}})\\{{0,8}}[\"'`]?"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        1,
    ),
    Rule(
        "azure-key",
        ("accountkey=", "sharedaccesskey="),
        r"(?i:AccountKey|SharedAccessKey)=([A-Za-z0-9+/%]{20,}={0,2})",
        1,
    ),
    Rule(
        AUTHORIZATION,
        ("authorization",),
        rf"(?i:authorization){_CLOSE}[ \t]{{0,4}}[:=,][ \t]{{0,4}}\\{{0,8}}[\"'`]?"
        rf"(?i:(?:bearer|basic|token|bot|digest|apikey|key|splunk)[ \t]{{1,4}})?({_VALUE}{{6,}})",
        1,
    ),
    Rule(BEARER, ("bearer ",), rf"{EDGE}(?i:bearer)[ \t]{{1,4}}([A-Za-z0-9_.~+/=-]{{12,}})", 1),
    Rule(BEARER, ("basic ",), rf"{EDGE}(?i:basic)[ \t]{{1,4}}([A-Za-z0-9+/]{{14,}}={{0,2}})(?![A-Za-z0-9])", 1),
    Rule(
        USERINFO,
        ("://",),
        r"""://[^\s/@:"'`<>\\\[\](){}]{0,200}:([^\s@"'`<>\\]{1,300})@(?=[A-Za-z0-9\[_.-]|\$|\{|%)""",
        1,
    ),
    Rule(
        QUERY,
        ("token=", "key=", "secret=", "password=", "passwd=", "sig=", "signature=", "auth=", "credential="),
        r"(?i:token|key|secret|password|passwd|sig|signature|auth|credential)=([^\s\"'`\\<>&#]{6,256})",
        1,
    ),
    Rule(
        "docker-auth",
        ('auth"', 'auth\\"', "_auth"),
        r"""_?auth\\{0,8}"?[ \t]{0,4}[:=]\s{0,4}\\{0,8}"?([A-Za-z0-9+/]{12,}={0,2})(?![A-Za-z0-9_.])""",
        1,
    ),
    Rule("netrc-password", ("password",), rf"(?i:password){_GAP}({_VALUE}{{3,200}})", 1),
    Rule(
        "curl-password",
        ("curl ",),
        r"curl[^\r|;]{0,500}?[ \t](?:-[a-zA-Z]{0,6}u|--user)[ =]{0,4}"
        rf"\\{{0,8}}[\"']?[^\s:\"'\\]{{1,100}}:({_VALUE}{{3,200}})",
        1,
    ),
    Rule("sshpass-password", ("sshpass",), rf"sshpass -p ?\\{{0,8}}[\"']?({_VALUE}{{3,200}})", 1),
    Rule(
        MYSQL,
        ("mysql -", "mysqldump -", "mysqladmin -", "mysqlimport -", "mariadb -", "mariadb-dump -"),
        r"(?i:mysql|mariadb)[a-z-]{0,8} -(?:[^\r\n|;&]{0,300}?[ \t]-)?p"
        rf"\\{{0,8}}[\"']?({_VALUE}{{3,200}})",
        1,
    ),
    Rule(
        "redis-password",
        ("redis-cli",),
        rf"redis-cli[^\r\n|;&]{{0,300}}?[ \t](?:-a|--pass)[ \t=]{{1,4}}\\{{0,8}}[\"']?({_VALUE}{{3,200}})",
        1,
    ),
    Rule(
        "piped-password",
        ("echo ",),
        rf"echo[ \t]{{1,4}}(?:-[neE]{{1,3}}[ \t]{{1,4}})?\\{{0,8}}[\"']?({_VALUE}{{3,200}})"
        r"\\{0,8}[\"']?[ \t]{0,4}\|[ \t]{0,4}[^\r\n|;&]{0,200}?(?:--password-stdin|(?<=sudo )-S)(?![\w-])",
        1,
    ),
    Rule(  # -n writes to no file
        HTPASSWD,
        ("htpasswd",),
        rf"htpasswd(?:(?=[ \t]{{1,4}}-[A-Za-z]{{0,8}}n){_FLAGGED}|{_FLAGGED}[ \t]{{1,4}}{_ARGUMENT})"
        rf"[ \t]{{1,4}}{_ARGUMENT}[ \t]{{1,4}}\\{{0,8}}[\"']?(?![|;&<>])({_VALUE}{{3,200}})",
        1,
    ),
    Rule(OPENSSL, ("pass:",), rf"pass:({_VALUE}{{3,200}})", 1),
    Rule(
        "sql-password",
        ("identified by ", "password '"),
        r"(?i:identified by|password) {1,4}'([^'\r\n]{4,200})'",
        1,
    ),
    Rule(ASSIGNED, _NAME_LITERALS, rf"{_NAME}{_TAIL}{_CLOSE}{_TYPE}{_SIGN}{_QUOTED}", 2),
    Rule(ASSIGNED, _NAME_LITERALS, rf"{_NAME}{_TAIL}{_CLOSE}{_TYPE}{_SIGN}\\{{0,8}}[\"'`]?{_BARE}", 1),
    Rule(ASSIGNED, ("password>", "passwd>", "secret>", "token>", "key>"), rf"{_NAME}>({_VALUE}{{6,300}})</", 1),
    Rule(
        FLAG,
        _FLAGS,
        rf"--[A-Za-z-]{{4,40}}\\{{0,8}}[\"']?,?[ \t]{{1,4}}\\{{0,8}}[\"']?{_BARE}",
        1,
    ),
    Rule(SAID, ("password is", "passphrase is"), rf"(?i:password|passphrase) is:? {{1,4}}\\{{0,8}}[\"'`]?{_BARE}", 1),
    Rule(
        SAID_KEY,
        ("token ", "secret ", "key "),
        rf"(?i:token|secret|{_KEY})(?: (?:is|was):?)? {{1,4}}\\{{0,8}}[\"'`]?([A-Za-z0-9_+/.~=-]{{12,256}})(?![\w(])",
        1,
    ),
    Rule(
        LOGIN,
        ("pass ", "pass: ", "pass=", "password "),
        rf"(?<![\w-])(?i:pass|password)(?:[:=]| is)? {{0,4}}\\{{0,8}}[\"'`]?({_VALUE}{{6,200}})",
        1,
    ),
    Rule(
        SHORT, _SHORT_LITERALS, rf"{_SHORT_NAME}(?:{_SHORT_SIGN}| {{1,4}})(\\{{0,8}}[\"'`])([^\s\"'`]{{8,256}}?)\1", 2
    ),
    Rule(SHORT, _SHORT_LITERALS, rf"{_SHORT_NAME}{_SHORT_SIGN}{_BARE}", 1),
    Rule(
        LOCAL,
        _LOCAL_NAMES,
        f"(?:{'|'.join(_LOCAL_NAMES)})"
        r"""["'`*]{0,3}[ \t]{0,4}(?:[:=\uff1a\uff1d]|는|은|이|가|は|が|是|为|為)[ \t\u3000]{0,4}\\{0,8}"""
        r"""["'`*\u300c]{0,3}([!#-&(-;=?-\[\]-_a-~]{6,300})""",
        1,
    ),
    Rule(  # without a sign
        SAID,
        _LOCAL_PASSWORDS,
        rf"(?:{'|'.join(_LOCAL_PASSWORDS)})[ \t\u3000]{{1,4}}(?=[^\s]{{0,60}}[0-9]{{2}})"
        r"([A-Za-z0-9!@#$%^&*+~?]{6,60})(?![\w/:=(-])(?!\.\w)",
        1,
    ),
    Rule(  # letters of Korean, Japanese or Chinese and digits; what follows the digits is a particle
        LOCAL,
        _LOCAL_PASSWORDS,
        rf"(?:{'|'.join(_LOCAL_PASSWORDS)})[ \t]{{0,4}}(?:[:=\uff1a\uff1d]|는|은|は|是|为|為)[ \t\u3000]{{0,4}}"
        rf"[\"'`\u300c]?({_WIDE}{{2,20}}+[0-9]{{3,20}}+[!-&(-;=?-\[\]-_a-~]{{0,40}}+)(?!{_COUNTED})",
        1,
    ),
)

_KEYS: Final = PREFIXED + _BLOCKS
RULES: Final[tuple[Rule, ...]] = _KEYS + _BY_CONTEXT
KEY_RULES: Final = len(_KEYS)
"""So many of the rules, the first ones, know a key by itself, whatever stands around it."""

# A name is worth a look where a sign stands soon behind it ("?" is what a wide colon is in the scanned bytes).
_SIGN_SOON = r"""[a-z0-9_.-]{0,40}\\{0,8}["'`]?\]?[ \t]{0,16}(?:[:=>?]|string)"""


def _worth(word: str) -> str:
    """A sign behind the word, or something long, or the word is the end of a flag, whose value needs no sign."""
    return rf"""{_SIGN_SOON}|(?: is| was)?:? {{1,4}}\\{{0,8}}["'`]?[a-z0-9_+/.~=-]{{12}}|(?<=-{word})[\\"' ,]"""


# "key" says something only behind one of the words above.
_LAST_LETTERS = "".join(sorted({kind[-1] for kind in _KEY_KINDS}))
AFTER_A_KIND: Final = rf"(?<=[{_LAST_LETTERS}]key)|(?<=[{_LAST_LETTERS}][ _-]key)"

# What has to follow a literal that is too common to try a pattern at each (lower case, save for capitals).
FOLLOWED_BY: Final[dict[str, str]] = {
    "key": rf"(?:{AFTER_A_KIND})(?:{_worth('key')})",
    "key=": """[^\\s\"'`\\\\<>&#]{6}""",
    "pass": "(?![a-z])|w|phrase",
    "token": _worth("token"),
    "secret": _worth("secret"),
    "credential": _worth("credential"),
    "dapi": "[0-9a-f]{32}",
    "://": """[^\\s/@:"'`<>]{0,200}:[^\\s@]{1,300}@""",
    "SK": "[0-9a-fA-F]{32}",
    ".": r"(?:[a-z0-9_-]{6}\.[a-z0-9_-]{27}|[0-9a-f]{60})",
}
# Words that lead to several longer literals: what has to follow the word has to follow it there as well.
CORES: Final = ("auth", "key", "token", "secret", "pass", "pw", "credential")


@cache
def name_pattern() -> re.Pattern[str]:
    """Finds the word in a name that says its value is secret."""
    return re.compile(_NAME, re.ASCII)

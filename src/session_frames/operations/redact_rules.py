"""The kinds of secrets, as a table.

A pattern is tried only where one of its literals stands in the text (upper or lower case), starting at the literal
itself: what has to come before it is said by a look-behind. ``group`` is the part of the match that holds the value.
Every pattern is linear: no unbounded repeat stands inside another, and where a long run could be tried from each of
its characters the pattern asks for a border in front.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple


class Rule(NamedTuple):
    """One kind of secret: its name (shown in the marker), where to look, and what it looks like."""

    name: str
    literals: tuple[str, ...]
    pattern: str
    group: int = 0


# No letter or digit in front, save the letter of an escape (``\n``) or of a percent-encoded byte.
_EDGE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
_WORD = "[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"
_HEX = "[0-9a-fA-F]"


def _starts(name: str, prefixes: str, body: str, *, edge: bool = False) -> Rule:
    """A key known by how it starts; ``edge`` where the prefix is short enough to end an ordinary word."""
    literals = tuple(prefixes.split())
    choice = "|".join(literal.replace(".", r"\.") for literal in literals)
    return Rule(name, literals, f"{_EDGE if edge else ''}(?:{choice}){body}")


_PREFIXED: Final = (
    _starts("aws-access-key", "AKIA ASIA ABIA ACCA", f"[A-Z0-9]{{16}}(?!{_ALNUM})", edge=True),
    _starts("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_ALNUM}{{16,}}"),
    _starts("github-fine-grained-token", "github_pat_", r"\w{16,}"),
    _starts(
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
        r"[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]",
    ),
    _starts("anthropic-key", "sk-ant-", f"{_WORD}{{10,}}", edge=True),
    _starts("openrouter-key", "sk-or-", f"{_WORD}{{16,}}", edge=True),
    _starts("langfuse-key", "sk-lf-", f"{_WORD}{{16,}}", edge=True),
    _starts("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-service-", f"{_WORD}{{16,}}", edge=True),
    _starts("openai-key", "sk-", rf"(?=[A-Za-z]{{0,200}}[0-9]){_ALNUM}{{20,}}", edge=True),
    _starts("google-api-key", "AIza", f"{_WORD}{{30,}}", edge=True),
    _starts("google-oauth-token", "ya29.", r"[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]", edge=True),
    _starts("google-oauth-secret", "GOCSPX-", f"{_WORD}{{16,}}"),
    _starts("google-refresh-token", "1//0", f"{_WORD}{{30,}}", edge=True),
    _starts(
        "slack-token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-", r"(?:[A-Za-z0-9/+-]|%2[BFbf]){10,}"
    ),
    _starts("slack-token", "xoxe.", r"xox[bp]-[A-Za-z0-9-]{10,}"),
    _starts("slack-app-token", "xapp-", r"[0-9A-Za-z-]{12,}"),
    Rule(
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{12,})",
        1,
    ),
    _starts("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", f"{_ALNUM}{{10,}}"),
    _starts("webhook-secret", "whsec_", r"[A-Za-z0-9+/_=-]{10,}"),
    _starts("supabase-key", "sb_secret_ sbp_", r"\w{10,}(?:-\w{4,})?"),
    _starts("twilio-key", "SK", f"{_HEX}{{32}}(?!{_ALNUM})", edge=True),
    _starts("sendgrid-key", "SG.", rf"{_WORD}{{10,}}\.{_WORD}{{16,}}", edge=True),
    _starts("mailgun-key", "key-", f"{_HEX}{{32}}(?!{_ALNUM})", edge=True),
    _starts("brevo-key", "xkeysib- xsmtpsib-", r"[0-9A-Za-z-]{20,}"),
    _starts("npm-token", "npm_", f"{_ALNUM}{{30,}}"),
    _starts("pypi-token", "pypi-", f"{_WORD}{{32,}}", edge=True),
    _starts("rubygems-key", "rubygems_", f"{_ALNUM}{{20,}}"),
    _starts("clojars-token", "CLOJARS_", f"{_ALNUM}{{30,}}"),
    _starts("docker-token", "dckr_pat_ dckr_oat_", f"{_WORD}{{16,}}"),
    _starts("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", f"{_ALNUM}{{20,}}"),
    _starts("hugging-face-token", "hf_ api_org_", f"(?=[A-Za-z]{{0,40}}[A-Z0-9]){_ALNUM}{{20,}}", edge=True),
    _starts("databricks-token", "dapi", f"{_HEX}{{32}}(?:-[0-9])?(?!{_ALNUM})", edge=True),
    _starts("shopify-token", "shpat_ shpss_ shpca_ shppa_", f"{_ALNUM}{{20,}}"),
    _starts("square-token", "sq0atp- sq0csp- sq0idp-", f"{_WORD}{{16,}}"),
    _starts("square-token", "EAAA", f"(?=[A-Za-z_-]{{0,80}}[0-9]){_WORD}{{40,}}", edge=True),
    _starts("facebook-token", "EAAC EAAB EAAG EAAE", f"(?=[A-Za-z]{{0,80}}[0-9]){_ALNUM}{{60,}}", edge=True),
    Rule("telegram-token", (":AA",), rf"(?<=[0-9]{{8}}):(AA{_WORD}{{30,}})", 1),
    Rule("discord-token", (".",), rf"(?<=[MNO]{_WORD}{{23}})\.{_WORD}{{6}}\.{_WORD}{{27,}}"),
    Rule("airtable-token", (".",), rf"(?<=pat{_ALNUM}{{14}})\.({_HEX}{{60,}})", 1),
    Rule("discord-webhook", ("/api/webhooks/",), rf"/api/webhooks/[0-9]{{10,}}/({_WORD}{{20,}})", 1),
    _starts("linear-key", "lin_api_ lin_oauth_", f"{_ALNUM}{{20,}}"),
    _starts("notion-token", "ntn_", f"{_ALNUM}{{20,}}"),
    _starts("notion-token", "secret_", f"(?=[A-Za-z]{{0,80}}[0-9]){_ALNUM}{{40,}}", edge=True),
    _starts("figma-token", "figd_ figo_ figu_", f"{_WORD}{{20,}}"),
    _starts("atlassian-token", "ATATT3 ATCTT3 ATBB", r"(?=[A-Za-z]{0,80}[0-9])[A-Za-z0-9_=-]{24,}", edge=True),
    _starts("vault-token", "hvs. hvb. hvr.", f"{_WORD}{{20,}}", edge=True),
    Rule("terraform-token", (".atlasv1.",), rf"(?<={_ALNUM}{{6}})\.atlasv1\.({_WORD}{{20,}})", 1),
    _starts("grafana-token", "glsa_ glc_", r"[A-Za-z0-9_+/=]{20,}"),
    _starts("new-relic-key", "NRAK- NRII- NRAA- NRAL-", f"{_WORD}{{16,}}"),
    _starts("sentry-token", "sntrys_ sntryu_ sntrya_", r"[A-Za-z0-9_+/=]{20,}"),
    _starts(
        "doppler-token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]",
        edge=True,
    ),
    Rule("fly-token", ("FlyV1 ",), r"FlyV1 (f[mo][0-9]_[A-Za-z0-9+/=,_-]{16,})", 1),
    _starts("fly-token", "fm1_ fm2_ fo1_", r"[A-Za-z0-9+/=_-]{30,}", edge=True),
    _starts("netlify-token", "nfp_ nfc_ nfo_ nfu_", f"{_ALNUM}{{20,}}", edge=True),
    _starts("vercel-token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", r"\w{20,}", edge=True),
    _starts("age-key", "AGE-SECRET-KEY-1", f"{_ALNUM}{{20,}}"),
    _starts("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]"),
    _starts("postman-key", "PMAK-", f"{_HEX}{{20,}}-{_HEX}{{30,}}"),
    _starts("pulumi-token", "pul-", f"{_HEX}{{40}}(?!{_ALNUM})", edge=True),
    _starts("prefect-token", "pnu_", f"{_ALNUM}{{30,}}", edge=True),
    _starts("readme-key", "rdme_", f"{_ALNUM}{{40,}}"),
    _starts("dynatrace-token", "dt0c01. dt0s01. dt0s16.", r"[A-Z0-9]{24}\.[A-Z0-9]{60,}", edge=True),
    _starts("easypost-key", "EZAK EZTK", f"(?=[A-Za-z]{{0,60}}[0-9]){_ALNUM}{{50,}}", edge=True),
    _starts("flutterwave-key", "FLWSECK-", r"[A-Za-z0-9-]{16,}"),
    _starts("flutterwave-key", "FLWSECK_TEST-", r"[A-Za-z0-9-]{16,}"),
    _starts("shippo-token", "shippo_live_ shippo_test_", f"{_HEX}{{30,}}"),
    _starts("contentful-token", "CFPAT-", f"{_WORD}{{30,}}"),
    _starts("onepassword-token", "ops_eyJ", f"{_WORD}{{40,}}", edge=True),
    _starts("mapbox-token", "sk.eyJ", rf"{_WORD}{{16,}}\.{_WORD}{{16,}}", edge=True),
    _starts("tailscale-key", "tskey-", r"[a-z]{2,12}-[A-Za-z0-9-]{16,}", edge=True),
    _starts("buildkite-token", "bkua_ bkaj_", f"{_ALNUM}{{30,}}", edge=True),
    _starts("circleci-token", "CCIPAT_ CCIPRJ_", r"\w{30,}"),
    _starts("posthog-key", "phx_ phs_", f"{_ALNUM}{{30,}}", edge=True),
    _starts("sonar-token", "squ_ sqp_ sqa_", f"{_HEX}{{40}}(?!{_ALNUM})", edge=True),
    _starts("openshift-token", "sha256~", f"{_WORD}{{40,}}", edge=True),
    _starts("hubspot-token", "pat-na1- pat-eu1- pat-na2-", r"[0-9a-f-]{30,}", edge=True),
    _starts("dropbox-token", "sl.", f"(?=[A-Za-z_-]{{0,60}}[0-9]){_WORD}{{100,}}", edge=True),
    _starts("groq-key", "gsk_", f"{_ALNUM}{{30,}}", edge=True),
    _starts("xai-key", "xai-", f"(?=[A-Za-z]{{0,60}}[0-9]){_ALNUM}{{40,}}", edge=True),
    _starts("perplexity-key", "pplx-", f"{_ALNUM}{{30,}}", edge=True),
    _starts("replicate-token", "r8_", f"(?=[A-Za-z]{{0,60}}[0-9]){_ALNUM}{{30,}}", edge=True),
    _starts("nvidia-key", "nvapi-", f"{_WORD}{{40,}}", edge=True),
    _starts("langsmith-key", "lsv2_pt_ lsv2_sk_", r"\w{30,}", edge=True),
    _starts("tavily-key", "tvly-", f"(?=[A-Za-z-]{{0,60}}[0-9]){_WORD}{{20,}}", edge=True),
    _starts("cerebras-key", "csk-", f"(?=[A-Za-z]{{0,60}}[0-9]){_ALNUM}{{30,}}", edge=True),
    _starts("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}", edge=True),
    Rule("azure-client-secret", ("q~",), rf"(?<=[A-Za-z0-9_~.-]{{3}}[0-9])Q~[A-Za-z0-9_~.-]{{30,}}{_ALNUM}?"),
    Rule("jwt", ("eyJ",), rf"{_EDGE}eyJ{_WORD}{{8,}}\.{_WORD}{{4,}}\.[A-Za-z0-9_.-]*{_WORD}{{6}}"),
)

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

_LOCAL_NAMES = (
    *("비밀번호", "암호", "패스워드", "비번", "토큰", "시크릿", "인증키", "API 키", "API키"),
    *("パスワード", "暗証番号", "トークン", "シークレット", "APIキー", "秘密鍵"),
    *("密码", "密碼", "口令", "令牌", "密钥", "金鑰", "秘钥"),
)
_FLAGS = (
    *("--password", "--passphrase", "--token", "--secret", "--apikey"),
    *("--api-key", "--access-key", "--auth-token", "--secret-key"),
)
_GAP = r"(?:\s|\\[nrt]){1,8}"
_VALUE = r"""[^\s"'`\\<>]"""

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
    Rule(BEARER, ("bearer ",), rf"{_EDGE}(?i:bearer)[ \t]{{1,4}}([A-Za-z0-9_.~+/=-]{{12,}})", 1),
    Rule(BEARER, ("basic ",), rf"{_EDGE}(?i:basic)[ \t]{{1,4}}([A-Za-z0-9+/]{{14,}}={{0,2}})(?![A-Za-z0-9])", 1),
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
        LOCAL,
        _LOCAL_NAMES,
        f"(?:{'|'.join(_LOCAL_NAMES)})"
        r"""["'`*]{0,3}[ \t]{0,4}(?:[:=\uff1a\uff1d]|는|은|이|가|は|が|是|为|為)[ \t\u3000]{0,4}\\{0,8}"""
        r"""["'`*\u300c]{0,3}([!#-&(-;=?-\[\]-_a-~]{6,300})""",
        1,
    ),
)

RULES: Final[tuple[Rule, ...]] = _PREFIXED + _BLOCKS + _BY_CONTEXT

# A name is worth a look where a sign stands soon behind it ("?" is what a wide colon is in the scanned bytes).
_SIGN_SOON = r"""[a-z0-9_.-]{0,40}\\{0,8}["'`]?\]?[ \t]{0,16}(?:[:=>?]|string)"""


def _worth(word: str) -> str:
    """A sign behind the word, or the word is the end of a flag, whose value needs no sign."""
    return rf"""{_SIGN_SOON}|(?<=-{word})[\\"' ,]"""


# What has to follow a literal that is too common to try a pattern at each (lower case, save for capitals).
FOLLOWED_BY: Final[dict[str, str]] = {
    "key": _worth("key"),
    "token": _worth("token"),
    "secret": _worth("secret"),
    "credential": _worth("credential"),
    "dapi": "[0-9a-f]{32}",
    "://": """[^\\s/@:"'`<>]{0,200}:[^\\s@]{1,300}@""",
    "SK": "[0-9a-fA-F]{32}",
    ".": r"(?:[a-z0-9_-]{6}\.[a-z0-9_-]{27}|[0-9a-f]{60})",
}
# Words that lead to several longer literals: one pass for the word instead of one for each.
CORES: Final = ("auth", "key", "token", "secret", "pass", "credential")


@cache
def name_pattern() -> re.Pattern[str]:
    """Finds the word in a name that says its value is secret."""
    return re.compile(_NAME)

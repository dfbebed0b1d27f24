"""Secrets go, everything else stays. Every secret here is made at run time: none stands in this file."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_frames.errors import UsageError
from session_frames.operations import redact_rules
from session_frames.operations.redact import (
    DEFAULT,
    Hit,
    Rule,
    find_secrets,
    policy,
    redact_keys,
    redact_text,
    redact_value,
)
from session_frames.operations.redact_settings import nests_repeats, rules_from_config

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"
RANDOM = random.Random(20260101)


def chars(alphabet: str, count: int) -> str:
    """Made-up characters, a letter and a digit among them."""
    rest = [RANDOM.choice(alphabet) for _ in range(count)]
    rest[count // 2], rest[count // 3] = "7", next(letter for letter in alphabet if letter.isalpha())
    return "".join(rest)


def made(*parts: str | tuple[str, int]) -> str:
    return "".join(part if isinstance(part, str) else chars(*part) for part in parts)


def key(prefix: str, count: int = 36, alphabet: str = ALNUM) -> Callable[[], str]:
    return lambda: made(prefix, (alphabet, count))


# Rule -> how its values are made.
KEYS: list[tuple[str, Callable[[], str]]] = [
    *[("aws-access-key", key(prefix, 16, UPPER)) for prefix in ("AKIA", "ASIA")],
    *[("github-token", key(f"gh{kind}_")) for kind in "pousr"],
    ("github-fine-grained-token", lambda: made("github_pat_", (ALNUM, 22), "_", (ALNUM, 59))),
    *[("gitlab-token", key(f"gl{kind}-", 20)) for kind in ("pat", "dt", "rt", "cbt", "ptt", "soat")],
    ("anthropic-key", lambda: made("sk-ant-api03-", (ALNUM + "_-", 92), "A")),
    ("openai-key", key("sk-", 48)),
    *[("openai-key", key(f"sk-{kind}-", 60)) for kind in ("proj", "svcacct", "admin")],
    ("openrouter-key", key("sk-or-v1-", 64, HEX)),
    ("langfuse-key", lambda: made("sk-lf-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 12))),
    ("google-api-key", key("AIza", 35)),
    ("google-oauth-token", key("ya29.", 60)),
    ("google-oauth-secret", key("GOCSPX-", 28)),
    ("google-refresh-token", key("1//0", 50)),
    *[
        ("slack-token", lambda kind=kind: made(f"xox{kind}-", ("0123456789a", 12), "-", (ALNUM, 24)))
        for kind in "abposr"
    ],
    ("slack-app-token", lambda: made("xapp-1-A", (UPPER, 10), "-", ("0123456789a", 13), "-", (HEX, 32))),
    *[("stripe-key", key(prefix, 24)) for prefix in ("sk_live_", "rk_live_", "sk_test_")],
    ("webhook-secret", key("whsec_", 32)),
    *[("supabase-key", key(prefix, 31)) for prefix in ("sb_secret_", "sbp_")],
    ("twilio-key", key("SK", 32, HEX)),
    ("sendgrid-key", lambda: made("SG.", (ALNUM, 22), ".", (ALNUM, 43))),
    ("mailgun-key", key("key-", 32, HEX)),
    ("brevo-key", key("xkeysib-", 64, HEX)),
    ("npm-token", key("npm_")),
    ("pypi-token", key("pypi-AgEIcHlwaS5vcmc", 60)),
    ("rubygems-key", key("rubygems_", 48, HEX)),
    ("clojars-token", key("CLOJARS_", 60, HEX)),
    ("docker-token", key("dckr_pat_", 27)),
    *[("digitalocean-token", key(prefix, 64, HEX)) for prefix in ("dop_v1_", "doo_v1_")],
    ("hugging-face-token", key("hf_", 34)),
    ("databricks-token", key("dapi", 32, HEX)),
    *[("shopify-token", key(prefix, 32, HEX)) for prefix in ("shpat_", "shpss_")],
    *[("square-token", key(prefix, 43)) for prefix in ("sq0atp-", "sq0csp-", "EAAA")],
    ("facebook-token", key("EAAC", 90)),
    ("linear-key", key("lin_api_", 40)),
    ("notion-token", key("ntn_", 46)),
    ("notion-token", key("secret_", 43)),
    ("figma-token", key("figd_", 40)),
    ("atlassian-token", lambda: made("ATATT3", (ALNUM, 180), "=", (HEX, 8))),
    ("vault-token", key("hvs.", 90)),
    ("grafana-token", lambda: made("glsa_", (ALNUM, 32), "_", (HEX, 8))),
    ("grafana-token", key("glc_", 60)),
    ("new-relic-key", key("NRAK-", 27, UPPER)),
    *[("sentry-token", key(prefix, 64, HEX)) for prefix in ("sntrys_", "sntryu_")],
    ("doppler-token", key("dp.pt.", 43)),
    ("fly-token", key("fm2_", 120)),
    ("netlify-token", key("nfp_")),
    ("vercel-token", key("vcp_", 56)),
    ("age-key", key("AGE-SECRET-KEY-1", 58, UPPER)),
    ("planetscale-token", key("pscale_tkn_", 43)),
    ("postman-key", lambda: made("PMAK-", (HEX, 24), "-", (HEX, 34))),
    ("pulumi-token", key("pul-", 40, HEX)),
    ("prefect-token", key("pnu_")),
    ("readme-key", key("rdme_", 70)),
    ("dynatrace-token", lambda: made("dt0c01.", (UPPER, 24), ".", (UPPER, 64))),
    ("easypost-key", key("EZAK", 54)),
    ("flutterwave-key", key("FLWSECK-", 32)),
    ("shippo-token", key("shippo_live_", 40, HEX)),
    ("contentful-token", key("CFPAT-", 43)),
    ("tailscale-key", lambda: made("tskey-auth-", (ALNUM, 16), "-", (ALNUM, 30))),
    ("buildkite-token", key("bkua_", 40, HEX)),
    ("circleci-token", key("CCIPAT_", 60)),
    ("posthog-key", key("phx_", 43)),
    ("sonar-token", key("squ_", 40, HEX)),
    ("openshift-token", key("sha256~", 43)),
    ("hubspot-token", lambda: made("pat-na1-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12))),
    ("groq-key", key("gsk_", 52)),
    ("xai-key", key("xai-", 80)),
    ("perplexity-key", key("pplx-", 48)),
    ("replicate-token", key("r8_", 37)),
    ("nvidia-key", key("nvapi-", 64)),
    ("langsmith-key", lambda: made("lsv2_pt_", (HEX, 32), "_", (HEX, 10))),
    ("tavily-key", key("tvly-", 32)),
    ("cerebras-key", key("csk-", 48)),
    ("resend-key", lambda: made("re_", (ALNUM, 8), "_", (ALNUM, 24))),
    ("jwt", lambda: made("eyJ", (ALNUM, 33), ".", "eyJ", (ALNUM, 60), ".", (ALNUM, 43))),
]
NAMES = [f"{rule}-{number}" for number, (rule, _) in enumerate(KEYS)]

CONTEXTS: dict[str, str] = {
    "alone": "{}",
    "prose": "I used {} for it, and it works.",
    "sentence end": "The key is {}.",
    "line of a dump": "HOME=/home/u\nSERVICE_THING={}\nLANG=C.UTF-8\n",
    "export": "export SOME_API_KEY={}\n",
    "quoted": 'client = Client("{}")',
    "single quoted": "client = Client('{}')",
    "json": '{{"value":"{}","n":1}}',
    "escaped json": '{{"out":"{{\\"value\\":\\"{}\\",\\"n\\":1}}"}}',
    "behind an escaped break": 'out: "first line\\n{}\\nlast"',
    "url": "https://api.test.invalid/v1?key={}&page=2",
    "percent-encoded": "next=https%3A%2F%2Fa.invalid%2F%3Fk%3D{}%26x%3D1",
    "korean": "이 키는 {}입니다. 바꿔 주세요.",
    "korean, no blank": "키를{}로 바꿔",
    "japanese": "キーは{}です。",
    "chinese": "密钥是{}，请更换",
    "header": "curl -H 'X-Thing: {}' https://api.test.invalid",
    "yaml": "service:\n  value: {}\n  other: 1\n",
    "markdown": "| key | `{}` | done |",
}


def redact(text: str) -> str:
    return redact_text(text, DEFAULT)[0]


@pytest.mark.parametrize(("rule", "make"), KEYS, ids=NAMES)
def test_every_kind_goes_in_every_context(rule: str, make: Callable[[], str]) -> None:
    for name, context in CONTEXTS.items():
        secret = make()
        text = context.format(secret)
        redacted, hits = redact_text(text, DEFAULT)
        assert redacted == context.format(f"[redacted:{rule}]"), name
        assert [text[hit.start : hit.end] for hit in hits] == [secret], name
        assert redact(redacted) == redacted, name


def test_at_least_forty_kinds() -> None:
    assert len({rule for rule, _ in KEYS}) >= 40
    assert len({rule.name for rule in redact_rules.RULES}) >= 80


# (text with the value as {}, how the value is made); only the value goes.
WORD = lambda: made((string.ascii_lowercase, 6), "2", (string.ascii_lowercase, 3))  # noqa: E731
STRONG = key("", 24)
B64 = key("", 40, ALNUM + "+/")
WIDE = lambda letters, end="": lambda: f"{letters}{RANDOM.randrange(1000, 9999)}{end}"  # noqa: E731
PLAIN = lambda: made((string.ascii_lowercase, 4), str(RANDOM.randrange(1000, 9999)))  # noqa: E731
SIGNED = lambda: made("Q", (string.ascii_lowercase, 6), "8", (string.ascii_lowercase, 3), "!")  # noqa: E731
AROUND: list[tuple[str, Callable[[], str]]] = [
    ("PGPASSWORD={} psql -h db", WORD),
    ("DB_PASSWORD={}\nPATH=/usr/bin", WORD),
    ("DB_PASS={}", WORD),
    ("export API_KEY={}", STRONG),
    ("SECRET_KEY_BASE={}\n", STRONG),
    ("MY_SERVICE_TOKEN={}\n", STRONG),
    ("AWS_SECRET_ACCESS_KEY={}", B64),
    ("aws_secret_access_key = {}", B64),
    ("password: {}\nuser: me", WORD),
    ("  db_password: '{}'", WORD),
    ('password = "{}"', WORD),
    ("const apiKey: string = '{}';", STRONG),
    ('password: str = "{}"', WORD),
    ('config["password"] = "{}"', WORD),
    ('{{"apiKey":"{}","n":1}}', STRONG),
    ('"{{\\"apiKey\\":\\"{}\\",\\"n\\":1}}"', STRONG),
    ('\\\\\\"client_secret\\\\\\": \\\\\\"{}\\\\\\"', STRONG),
    ("Server=db;User Id=app;Password={};Encrypt=true", WORD),
    ("postgres://app:{}@db/x", WORD),
    ("mongodb+srv://u.name:{}@c0.test.invalid/app?retryWrites=true", WORD),
    ("redis://:{}@localhost:6379/0", WORD),
    ("https://oauth2:{}@git.test.invalid/a.git", STRONG),
    ("https://a.invalid/x?token={}&page=1", WORD),
    ("https://a.invalid/x?page=1&api_key={}", STRONG),
    ("https://b.invalid/c?sv=2024&sig={}&se=1", key("", 40, ALNUM + "%")),
    ("Authorization: Bearer {}", STRONG),
    ('-H "Authorization: Bearer {}" https://a.invalid', STRONG),
    ('"Authorization": "Basic {}"', key("", 24)),
    ("'authorization': 'token {}'", STRONG),
    ("got Bearer {} back", key("", 40)),
    ("curl -s -u admin:{} https://a.invalid", WORD),
    ("curl --user 'admin:{}' https://a.invalid", WORD),
    ("machine a.invalid login me password {}\n", WORD),
    ("machine a.invalid\n  login me\n  password {}\n", WORD),
    ("tool --password {} --verbose", WORD),
    ("tool --token={}", STRONG),
    ('["--api-key", "{}"]', STRONG),
    ("sshpass -p {} ssh host", WORD),
    ("CREATE USER app WITH PASSWORD '{}';", WORD),
    ("<password>{}</password>", WORD),
    ("AccountName=x;AccountKey={}==;EndpointSuffix=y", key("", 86)),
    ("SharedAccessKeyName=r;SharedAccessKey={}=;", key("", 43)),
    ('{{"auths":{{"r.invalid":{{"auth":"{}"}}}}}}', key("", 32)),
    ("//registry.invalid/:_authToken={}", STRONG),
    ("https://hooks.slack.com/services/{}", lambda: made("T", (UPPER, 9), "/B", (UPPER, 9), "/", (ALNUM, 24))),
    ("https://discord.com/api/webhooks/123456789012345678/{}", key("", 68)),
    ("123456789:{}", key("AA", 33)),
    ("비밀번호: {}", WORD),
    ("비밀번호는 {} 입니다", WORD),
    ("パスワード：{}", WORD),
    ("密码：{}，谢谢", WORD),
    ("API 키: {}", STRONG),
    ("the password is {} for now", WORD),
    ("비번 {}", PLAIN),
    ("パスワード {} で入れます", PLAIN),
    ("비밀번호: {}", WIDE("나비효과")),
    ("비밀번호는 {} 이고", WIDE("나비효과")),
    ("비밀번호는 {}이고", WIDE("나비효과")),
    ("비번은 {}입니다", WIDE("나비", "!")),
    ("パスワードは{}です", WIDE("桜咲く")),
    ("密码是{}，谢谢", WIDE("小猫咪")),
    ("aws secret key is {}", B64),
    ("aws secret key is: '{}'", B64),
    ("api key {}", key("", 32, HEX)),
    ("the token is {}, keep it", STRONG),
    ("the token is `{}`.", STRONG),
    ("user bob, pass {}", SIGNED),
    ("login bob and the password {}", SIGNED),
    ("username: bob, pass: {}", SIGNED),
    ("mysql -u root -p{}", WORD),
    ("mysqldump -h db -uroot -p'{}' shop > shop.sql", SIGNED),
    ("redis-cli -a {} ping", SIGNED),
    ("redis-cli -h db --pass {} ping", SIGNED),
    ("echo '{}' | docker login --password-stdin", SIGNED),
    ("echo {} | docker login -u bob --password-stdin registry.invalid", SIGNED),
    ("echo -n {} | sudo -S ls", SIGNED),
    ("sshpass -p '{}' ssh host", SIGNED),
    ('curl -u "bob:{}" https://a.invalid', SIGNED),
    ("curl https://a.invalid -ubob:{}", SIGNED),
    ('psql "password={}"', WORD),
    ("psql 'host=db password={} user=bob'", SIGNED),
    ("htpasswd -b file user {}", SIGNED),
    ("htpasswd -bBC 10 file user {} && ls", SIGNED),
    ("htpasswd -nb user {} > file", SIGNED),
    ("openssl rsa -in k.pem -passin pass:{} -out k", SIGNED),
    ("openssl enc -aes-256-cbc -pass pass:{}", SIGNED),
    *[
        (context, lambda: "-".join(("hunter2", "Correct9horse")))
        for context in (
            *("pw is {}", "the password for root is {}", "the pw for the old db is '{}'", "my pass is {}."),
            *("pwd: {}", "passwd is: {}", 'pass "{}"'),
        )
    ],
    ('password "{}"', lambda: "".join(("Zq8r", "Tt5K", "!1)."))),
    *[
        (context, lambda: "".join(("Zq8r", "Tt5K", "mm1")))
        for context in (
            *(
                "pwd: {}",
                "pwd={}",
                'db pwd: "{}"',
                "Pwd: {}, thanks",
                '{{"pwd": "{}"}}',
                "pw = '{}'",
                "pw: {}",
                r"\"pw\": \"{}\"",
            ),
            *("pass: {}", "my pass is {}", "passwd is {}", 'password "{}"', "pw `{}`", "the password for root is {}"),
        )
    ],
]


@pytest.mark.parametrize(("context", "make"), AROUND, ids=[context for context, _ in AROUND])
def test_only_the_value_goes(context: str, make: Callable[[], str]) -> None:
    secret = make()
    redacted = redact(context.format(secret))
    marker = re.search(r"\[redacted:[a-z0-9-]+\]", redacted)
    assert marker
    assert secret not in redacted
    for side in context.format("\0").split("\0"):
        assert side.strip("=") in redacted
    assert redact(redacted) == redacted


def test_discord_and_terraform_tokens_lose_their_secret_part() -> None:
    discord = made("M", (ALNUM, 23), ".", (ALNUM, 6), ".", (ALNUM, 38))
    assert redact(discord) == f"{discord[:24]}[redacted:discord-token]"
    terraform = made((ALNUM, 14), ".atlasv1.", (ALNUM, 67))
    assert redact(terraform) == f"{terraform[:23]}[redacted:terraform-token]"


def test_the_json_around_a_value_stays_json() -> None:
    result = json.dumps({"out": json.dumps({"apiKey": STRONG(), "n": 1})})
    outer = json.loads(redact(result))
    inner = json.loads(outer["out"])
    assert inner == {"apiKey": "[redacted:assigned-secret]", "n": 1}


def test_an_env_dump() -> None:
    secrets = [WORD() for _ in range(3)]
    dump = (
        f"HOME=/root\nDB_PASSWORD={secrets[0]}\nPATH=/bin:/usr/bin\nAPP_SECRET={secrets[1]}\nX_TOKEN={secrets[2]}\nN=1"
    )
    redacted, hits = redact_text(dump, DEFAULT)
    assert len(hits) == 3
    assert not any(secret in redacted for secret in secrets)
    assert "HOME=/root\n" in redacted
    assert "PATH=/bin:/usr/bin\n" in redacted


SPARED = [
    "commit " + chars(HEX, 40),
    "sha256:" + chars(HEX, 64),
    "token: 4096",
    'Token.String: "#AB0909"',
    "token          = 1*tchar",
    "token_query: Final[int] = 0x0008",
    "550e8400-e29b-41d4-a716-446655440000",
    "session_id: 550e8400-e29b-41d4-a716-446655440000",
    '"integrity": "sha512-' + chars(ALNUM + "+/", 86) + '=="',
    "/srv/app/Volumes/Quick/Prop2/data/Key9/Token8/file.txt",
    "input_cost_per_token: 1.4e-06",
    "max_tokens: 4096",
    '{"input_tokens": 12345, "cache_read_input_tokens": 987654321}',
    "api_key: os.environ/MY_API_KEY",
    'api_key = os.environ["MY_API_KEY2"]',
    "apiKey: process.env.API_KEY_2,",
    'token = os.getenv("TOKEN_2")',
    "TOKEN=$TOKEN",
    "TOKEN=${TOKEN:-abc1}",
    "TOKEN=%TOKEN%",
    "api_key: <YOUR_KEY>",
    "token: {{ token }}",
    'apiKey == ""',
    'if token == "abc123def":',
    "sk-ant-...",
    "OPENAI_API_KEY=sk-...",
    "API_KEY=YOUR_API_KEY",
    "api_key: xxxxxxxxxxxxxxxx",
    "password: ********",
    "password: changeme123",
    'password = "your_password1"',
    "SECRET=placeholder1",
    "password: None",
    "token: null,",
    "secret: true",
    "password: string",
    "token: str",
    "password = input()",
    "token = get_token(x1)",
    "self.token = token",
    "password=password",
    "password=password2",
    "token = self.token2",
    "secret = hashlib.sha256(data).hexdigest()",
    "the password: it must have 8 characters",
    "the token is base64-encoded",
    "token_type: Bearer",
    "secretName: my-app-secret-2",
    "key: value1234",
    "keyboard=us1234",
    "Bearer authentication is used",
    'Authorization: Bearer $TOKEN"',
    "Authorization: Bearer <token>",
    "postgres://user:$PASS@db/x",
    "postgres://user:{password}@db/x",
    "postgres://user:password@localhost/x",
    "http://localhost:8080/a@b",
    "git@github.com:owner/repo.git",
    "?page=2&sort=name1",
    "task-force-of-2024-and-many-more-words-behind",
    "risk-averse sk-learn-pipeline",
    "비밀번호: 입력하세요",
    "パスワード：必須",
    "비밀번호는 8자 이상",
    "-----BEGIN PRIVATE KEY----- is the first line",
    'if "-----BEGIN RSA PRIVATE KEY-----" in text and text.endswith("-----END RSA PRIVATE KEY-----"):',
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n" + chars(ALNUM, 64) + "\n-----END PUBLIC KEY-----",
    "[redacted:github-token]",
    "password: [redacted:assigned-secret]",
    "postgres://app:[redacted:url-password]@db/x",
    "pk_live_" + chars(ALNUM, 24),
    "a ghp_ prefix, and github_pat_ too",
    "test_secret_handling_of_tokens_2",
    "cut \ud83d here \udcb2",
    "",
]


def test_what_is_no_secret_stays() -> None:
    for text in SPARED:
        assert redact_text(text, DEFAULT) == (text, [])


SPARED_BESIDE_NAMES_AND_COMMANDS = [
    "비밀번호: 최대128자",
    "비밀번호는 오류4031 때문에",
    "토큰은 최대8192개",
    "パスワードは最大128文字",
    "パスワードは変更済2024年",
    "비밀번호 SHA256 해시",
    "비밀번호 bcrypt12 로",
    "パスワード login_v12.py を直す",
    "the token is required_by_v2_and_v3",
    "the api key is in config/settings_2024.yaml",
    "the token is 550e8400-e29b-41d4-a716-446655440000",
    "token claude-sonnet-4-20250514-preview",
    "tests pass 2024-01-tests",
    "user tests pass test2024x",
    "mysql -u root -p shop",
    "mysql -uroot -p$MYSQL_PWD",
    "mysql -h db -P 3306",
    "docker run --name mysql -p3306:3306 mysql",
    "redis-cli -a $REDIS_PASSWORD",
    'echo "$TOKEN" | docker login -u bob --password-stdin',
    "echo done1 | tee log",
    "htpasswd -c file user",
    "htpasswd -nb user $PASS",
    "openssl rsa -passin pass:$PASS",
    "first pass: token2024x",
    *("pwd: /home/x", "pwd=$(pwd)", "PWD=/srv/app", "pwd=src2x/app3b", r"pwd=C:\Users\b2b3c4", "pwd is ~/app2x3y"),
    *("pass: 12 tests", "pass: true", "tests pass is fine", "pass is reserved", "pass: 1h22m33s", "pass=12,fail=3"),
    *("pass: 2026-11-30T12:37:18Z", "pass: e46d9d1a4", "pass `asn1Spec` to it", 'pass: "shadow2d_x"', "pw = self.b2c3"),
    *("the password for root is required", 'password "required1 field2"', 'pwd: "half2open3', "pass: test_case12"),
]


def test_names_and_commands_without_a_secret_stay() -> None:
    for text in SPARED_BESIDE_NAMES_AND_COMMANDS:
        assert redact_text(text, DEFAULT) == (text, [])


def test_an_id_or_the_name_of_a_file_loses_its_keys_only() -> None:
    secret = key("ghp_")()
    assert redact_keys(f"run-{secret}", DEFAULT)[0] == "run-[redacted:github-token]"
    assert redact_keys(key("sk-ant-api03-", 60)(), DEFAULT)[0] == "[redacted:anthropic-key]"
    for name in ("550e8400-e29b-41d4-a716-446655440000", "password=" + WORD(), "token: " + STRONG(), "a", ""):
        assert redact_keys(name, DEFAULT) == (name, [])
    assert redact_keys(secret, policy(allow=[secret])) == (secret, [])


def test_pem_blocks() -> None:
    body = [chars(ALNUM + "+/", 64), chars(ALNUM + "+/", 64), chars(ALNUM, 22) + "=="]
    for kind in ("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "", "DSA "):
        head, foot = f"-----BEGIN {kind}PRIVATE KEY-----", f"-----END {kind}PRIVATE KEY-----"
        lines = [head, *body, foot]
        numbered = "".join(f"{number:6}\t{line}\n" for number, line in enumerate(lines, 1))
        forms = {
            "breaks": "\n".join(lines),
            "crlf": "\r\n".join(lines),
            "escaped": "\\n".join(lines),
            "escaped twice": "\\\\n".join(lines),
            "quoted": "\n> ".join(lines),
            "indented": "\n    ".join(lines),
            "source": '\\n" +\n  "'.join(lines),
            "diff": "\n+".join(lines),
            "one line": " ".join(lines),
            "arrows": "\n".join([head, *(f"     {number}→{line}" for number, line in enumerate([*body, foot], 2))]),
            "encrypted": "\n".join(
                [head, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC," + "0A" * 16, "", *body, foot]
            ),
        }
        for name, block in forms.items():
            for before, after in (("before\n", "\nafter"), ('{"k":"', '","n":1}')):
                redacted, hits = redact_text(before + block + after, DEFAULT)
                assert redacted == f"{before}[redacted:private-key]{after}", (kind, name)
                assert len(hits) == 1
        assert redact(f"before\n{numbered}after") == "before\n     1\t[redacted:private-key]\nafter"
        cut = redact("before\n" + "\n".join(lines[:-1]) + "\nand then prose follows")
        assert cut == "before\n[redacted:private-key]\nand then prose follows"
        assert redact("\n".join(lines[:3])) == "[redacted:private-key]"
        two = "\n".join([*lines, "between", *lines])
        assert redact(two) == "[redacted:private-key]\nbetween\n[redacted:private-key]"


def test_a_service_account_stays_json() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", chars(ALNUM, 64), chars(ALNUM, 30), "-----END PRIVATE KEY-----", ""]
    account = {"type": "service_account", "private_key_id": chars(HEX, 40), "private_key": "\n".join(lines), "n": 1}
    read = json.loads(redact(json.dumps(account)))
    assert read == {**account, "private_key": "[redacted:private-key]\n"}


def test_putty_and_pgp_keys() -> None:
    putty = [
        "PuTTY-User-Key-File-2: ssh-rsa",
        "Encryption: none",
        "Comment: me",
        "Public-Lines: 2",
        chars(ALNUM, 64),
        chars(ALNUM, 64),
        "Private-Lines: 1",
        chars(ALNUM, 64),
        "Private-MAC: " + chars(HEX, 40),
    ]
    assert redact("a\n" + "\n".join(putty) + "\nb") == "a\n[redacted:putty-private-key]\nb"
    pgp = [
        "-----BEGIN PGP PRIVATE KEY BLOCK-----",
        "",
        chars(ALNUM, 64),
        "=aB3d",
        "-----END PGP PRIVATE KEY BLOCK-----",
    ]
    assert redact("\n".join(pgp)) == "[redacted:private-key]"


def test_a_long_value_goes_whole() -> None:
    for length in (255, 256, 257, 900, 5000):
        for context in ("A_SECRET={} b", 'password: "{}"', "https://a.invalid/?token={} b"):
            secret = chars(ALNUM, length)
            redacted = redact(context.format(secret))
            assert secret[-6:] not in redacted, (length, context)
            assert len(redacted) < 80


def test_hits_are_in_order_and_replace_exactly() -> None:
    first, second = KEYS[2][1](), WORD()
    text = f"a {first} b PASSWORD={second} c"
    redacted, hits = redact_text(text, DEFAULT)
    assert redacted == "a [redacted:github-token] b PASSWORD=[redacted:assigned-secret] c"
    assert hits == [
        Hit("github-token", 2, 2 + len(first)),
        Hit("assigned-secret", text.index(second), text.index(second) + len(second)),
    ]
    assert find_secrets(text, DEFAULT) == hits


def test_values_keys_and_lists() -> None:
    secret, word = KEYS[2][1](), WORD()
    value = {
        "a": [1, f"x {secret}", None, True],
        secret: {"password": word, "n": 1.5},
        "input_tokens": 3,
        "token": "str",
    }
    told: list[tuple[str, str, int]] = []
    redacted = redact_value(value, DEFAULT, "turns[0]", lambda *entry: told.append(entry))
    assert redacted == {
        "a": [1, "x [redacted:github-token]", None, True],
        "[redacted:github-token]": {"password": "[redacted:assigned-secret]", "n": 1.5},
        "input_tokens": 3,
        "token": "str",
    }
    assert sorted(told) == [("assigned-secret", "turns[0]", 1), ("github-token", "turns[0]", 2)]
    assert secret in value  # what was given is not changed
    assert redact_value(redacted, DEFAULT, "", lambda *entry: told.append(entry)) is redacted
    assert len(told) == 2


@pytest.mark.parametrize("name", ["token", "api_key", "client_secret", "apiKey", "credential", "토큰 token"])
def test_a_name_that_says_that_its_value_is_secret(name: str) -> None:
    value = {"input": [{name: STRONG(), "key": "ArrowDown"}], "input_tokens": 12}
    redacted = redact_value(value, DEFAULT, "", lambda *entry: None)
    assert redacted == {
        "input": [{name: "[redacted:assigned-secret]", "key": "ArrowDown"}],
        "input_tokens": 12,
    }


def test_an_unchanged_value_is_the_same_object() -> None:
    value = {"a": ["plain", {"session_id": "550e8400-e29b-41d4-a716-446655440000"}], "token": "string"}
    assert redact_value(value, DEFAULT, "", lambda *entry: pytest.fail("nothing to tell")) is value


def test_keys_that_become_the_same_both_stay() -> None:
    value = {KEYS[2][1](): 1, KEYS[2][1](): 2}
    redacted = redact_value(value, DEFAULT, "", lambda *entry: None)
    assert sorted(redacted.values()) == [1, 2]


def test_rules_of_a_team() -> None:
    config = {
        "redaction": {
            "rules": [
                {"name": "acme", "pattern": "acme-([0-9]{8})", "literals": ["ACME-"]},
                {"name": "bare", "pattern": "zz[0-9]{6}"},
            ],
            "allow": ["hunter2fixture", "dummy[0-9]+pw"],
        }
    }
    rules = rules_from_config(config)
    text = "see acme-12345678 and zz123456"
    assert redact_text(text, rules)[0] == "see acme-[redacted:acme] and [redacted:bare]"
    assert redact_value({"x": text}, rules, "", lambda *entry: None) == {"x": redact_text(text, rules)[0]}
    assert redact_text("password: hunter2fixture", rules)[1] == []
    assert redact_value({"password": "hunter2fixture"}, rules, "", lambda *entry: None) == {
        "password": "hunter2fixture"
    }
    assert redact_text("DB_PASSWORD=" + "dummy12pw9x", rules_from_config({}))[1] == []
    assert redact_text(text, rules_from_config({"redaction": None}))[1] == []
    own = policy([Rule("x-rule", (), "q{9}")])
    assert redact_text("a" + "q" * 9, own)[0] == "a[redacted:x-rule]"


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"rules": [{"name": "a", "pattern": "("}]}, r"rules\[1\] a"),
        ({"rules": [{"name": "a", "pattern": "x*"}]}, "empty text"),
        ({"rules": [{"name": "ok", "pattern": "x1"}, {"name": "b", "pattern": "(x+)+y"}]}, r"rules\[2\] b.*repeat"),
        ({"rules": [{"name": "b", "pattern": "(?:a|b*)*?c"}]}, "repeat"),
        ({"rules": [{"name": "a"}]}, "no pattern"),
        ({"rules": [{"pattern": "x1"}]}, "name"),
        ({"rules": [{"name": "a]b", "pattern": "x1"}]}, "name"),
        ({"rules": [{"name": "a", "pattern": "x1", "literals": "x"}]}, "literals"),
        ({"rules": ["x"]}, "name"),
        ({"rules": {"a": 1}}, "list"),
        ({"allow": [".*"]}, r"allow\[1\].*empty"),
        ({"allow": ["ok", "(a+)+b"]}, r"allow\[2\]"),
        ({"allow": [3]}, "text"),
        ("rules", "redaction"),
    ],
)
def test_a_bad_setting_is_named(section: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        rules_from_config({"redaction": section})


def test_an_allowed_text_need_not_be_a_pattern() -> None:
    rules = rules_from_config({"redaction": {"allow": ["abc(123*"]}})
    assert redact_text('password = "abc(123*"', rules)[1] == []


def test_no_rule_can_take_forever() -> None:
    for rule in redact_rules.RULES:
        compiled = re.compile(rule.pattern, re.ASCII)
        assert not nests_repeats(rule.pattern), rule.name
        assert not compiled.match(""), rule.name
        assert rule.group <= compiled.groups, rule.name
        assert rule.literals, rule.name
        assert re.fullmatch("[a-z0-9-]+", rule.name)


@pytest.mark.parametrize(
    "piece",
    [
        *("ghp_", "sk-", "sk-ant-", "eyJ", "eyJa.", "AKIA", "xoxb-", "SG.a", "://a:", "-----BEGIN PRIVATE KEY-----\n"),
        *("password", "token=", 'token="', "password: ", "secret\\", "--password ", "[redacted:", "curl -u ", "?sig=a"),
        *(
            "Bearer ",
            "Authorization: ",
            "비밀번호: ",
            "password\n",
            "key key",
            "hvs.",
            "1//0",
            "dp.pt.",
            "PuTTY-User-Key-File-2: ",
            "mysql -u ",
            "redis-cli -h ",
            "echo a ",
            "htpasswd -b ",
            "htpasswd -b a b",
            "token is ",
            "user a pass ",
            "비밀번호는 나비",
            "パスワード a",
        ),
    ],
)
def test_long_runs_end(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    redacted = redact(text)
    assert redact(redacted) == redacted


def test_no_name_is_divided_in_all_ways() -> None:
    for value in ("a" * 200 + "AbAbAbAb9x9", "Ab" * 60 + "abcd" * 20 + "9x9", "ABCD" * 30 + "abAbAbAbAb" * 10 + "1y1"):
        for context in ("Bearer {}", "API_TOKEN: {}", 'password = "{}"'):
            redact(context.format(value))


PIECES = st.one_of(
    st.sampled_from(sorted({literal for rule in redact_rules.RULES for literal in rule.literals})),
    st.sampled_from(
        [
            " ",
            "=",
            ": ",
            '"',
            "'",
            "\\n",
            "\n",
            '\\"',
            "@",
            "://",
            "?",
            "&",
            "[redacted:jwt]",
            "]",
            "hunter2x",
            "\ud83d",
        ]
    ),
    st.sampled_from([make() for _, make in KEYS]),
    st.text(ALNUM + "_-./+=", min_size=1, max_size=40),
    st.text(max_size=8),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    redacted, hits = redact_text(text, DEFAULT)
    assert redact_text(redacted, DEFAULT) == (redacted, [])
    assert all(one.end <= two.start for one, two in pairwise(hits))
    at, rebuilt = 0, ""
    for hit in hits:
        rebuilt += text[at : hit.start] + f"[redacted:{hit.rule}]"
        at = hit.end
    assert rebuilt + text[at:] == redacted


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(PIECES, max_size=5).map("".join), max_size=6))
def test_a_value_is_redacted_as_its_texts_are(texts: list[str]) -> None:
    redacted = redact_value(texts, DEFAULT, "", lambda *entry: None)
    assert redacted == [redact(text) for text in texts]

"""Extraction without a model, on short sessions by situation: what is taken, and what must be left out.

Each session lists all decisions and constraints it has, as ``kind status by: words``; anything else that is found makes
the test fail. Questions and next steps are compared the same way where a session lists any of its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import pattern_cues
import pytest
from extract_sessions import LONG_SESSIONS

from session_frames.model import Turn
from session_frames.operations.extract import Extracted, extract, quote_stands, topic_of
from session_frames.operations.extract.patterns.cue_table import CUES


class Session(NamedTuple):
    name: str
    turns: list[tuple[str, str]]
    takes: list[str]
    also: tuple[str, ...] = ()  # questions and next steps


def turns_of(said: list[tuple[str, str]]) -> list[Turn]:
    roles = {"u": "user", "a": "agent"}
    return [{"id": f"t{n}", "role": roles[who], "text": text} for n, (who, text) in enumerate(said, 1)]  # type: ignore[typeddict-item]


ENGLISH = [
    Session(
        "acceptance",
        [
            ("u", "the importer is slow, make it faster"),
            ("a", "Most time goes into parsing dates. I'd cache the parsed dates per day."),
            ("u", "sounds good"),
        ],
        ["decision accepted user: cache the parsed dates"],
    ),
    Session(
        "option",
        [
            ("u", "we need retries in the mailer"),
            ("a", "Two ways:\n1) retry in the worker\n2) put failed mails in a queue table\nI prefer the first."),
            ("u", "go with 2"),
        ],
        ["decision accepted user: queue table"],
    ),
    Session(
        "option not chosen",
        [
            ("u", "we need retries in the mailer"),
            ("a", "Two ways:\nA) retry in the worker\nB) put failed mails in a queue table"),
            ("u", "B? not sure. what would A cost?"),
            ("a", "About a day of work."),
        ],
        [],
    ),
    Session(
        "refusal",
        [
            ("u", "clean up the login form"),
            ("a", "The form is tidy now. I could also add a password strength meter."),
            ("u", "no, nobody asked for that"),
        ],
        ["decision rejected user: password strength meter"],
    ),
    Session(
        "prohibition",
        [("u", "Rename Order to Purchase everywhere. Don't touch the migrations folder. No new dependencies please.")],
        [
            "constraint accepted user: Don't touch the migrations folder",
            "constraint accepted user: No new dependencies",
        ],
    ),
    Session(
        "a thing stays as it is",
        [("u", "webhooks arrive twice, fix that, and keep the payload format as it is")],
        ["constraint accepted user: keep the payload format as it is"],
    ),
    Session(
        "deferral",
        [
            ("u", "add paging to the list"),
            ("a", "Done. Should the page size be configurable?"),
            ("u", "let's leave the page size for later"),
        ],
        ["decision deferred user: page size"],
    ),
    Session(
        "withdrawal",
        [
            ("u", "use sqlite for the cache"),
            ("a", "The cache is in sqlite now."),
            ("u", "ignore that, the disk there is read-only. keep the cache in memory"),
        ],
        ["decision overruled user: use sqlite", "decision accepted user: keep the cache in memory"],
    ),
    Session(
        "musing",
        [
            ("u", "maybe we should use kafka here. I wonder if postgres is enough"),
            ("a", "Postgres is enough for this load."),
            ("u", "hmm, could be. let me think"),
        ],
        [],
    ),
    Session(
        "quotation",
        [
            (
                "u",
                "the platform team:\n> We decided to use gRPC everywhere.\n> Never use REST.\nwhat does it mean?",
            ),
            ("a", "Probably internal services only."),
        ],
        [],
    ),
    Session(
        "fenced code",
        [("u", "why does this fail?\n```\n# don't use threads here, we decided to keep it sync\nmust be fast\n```")],
        [],
    ),
    Session(
        "no option named",
        [
            ("u", "uploads fail for large files"),
            ("a", "Either:\nA. raise the body limit\nB. upload in chunks\nC. presigned URLs"),
            ("u", "yes"),
        ],
        [],
    ),
    Session(
        "option after a question",
        [
            ("u", "uploads fail for large files"),
            ("a", "Either:\nA. raise the body limit\nB. upload in chunks\nC. presigned URLs"),
            ("u", "does C work with our proxy?"),
            ("a", "It does, the proxy is not involved."),
            ("u", "ok, C then"),
        ],
        ["decision accepted user: presigned URLs"],
    ),
    Session(
        "a plain step is no decision",
        [
            ("u", "the build is red"),
            ("a", "A lint rule fails. Shall I run the linter again?"),
            ("u", "yes"),
            ("a", "Clean now. I'll push the branch."),
            ("u", "ok thanks"),
        ],
        [],
    ),
    Session(
        "invented agreement",
        [
            ("u", "speed up the report"),
            ("a", "It is twice as fast. As you decided, the PDF export is dropped."),
            ("u", "I never said that. put it back"),
        ],
        ["decision rejected user: the PDF export is dropped"],
    ),
    Session(
        "invented agreement, unnoticed",
        [
            ("u", "speed up the report"),
            ("a", "It is twice as fast. As agreed, we use threads instead of processes."),
            ("u", "what about memory?"),
            ("a", "Memory is the same."),
        ],
        [],
    ),
    Session(
        "correction in a sentence",
        [
            ("u", "where do the settings go?"),
            ("a", "I can put them in `settings.toml` or in `pyproject.toml`."),
            ("u", "settings.toml. no wait, pyproject.toml"),
        ],
        ["decision overruled user: settings.toml", "decision accepted user: pyproject.toml"],
    ),
    Session(
        "a number changed later",
        [
            ("u", "let's keep sessions for 30 days"),
            ("a", "Sessions live 30 days."),
            ("u", "legal called. make it 14 days instead"),
        ],
        ["decision overruled user: 30 days", "decision accepted user: 14 days"],
    ),
    Session(
        "a rule lifted",
        [
            ("u", "upgrade django. don't touch billing/"),
            ("a", "Upgraded, billing is untouched."),
            ("u", "the audit is over, you can change billing/ now"),
        ],
        ["constraint overruled user: don't touch billing/", "decision accepted user: you can change billing/ now"],
    ),
    Session(
        "refused, then wanted",
        [
            ("u", "add an audit log"),
            ("a", "Done. Shall I also sign the entries?"),
            ("u", "no"),
            ("a", "Left unsigned."),
            ("u", "I changed my mind, let's use signed entries after all"),
        ],
        ["decision overruled user: sign the entries", "decision accepted user: signed entries"],
    ),
    Session(
        "somebody else's words",
        [("u", "Tom says we must use Oracle. the wiki says never use an ORM. what do you think?")],
        [],
    ),
    Session(
        "a pasted mail",
        [("u", "see this mail from ops:\n\nDon't use port 8080.\nWe decided to use consul.\nMust be done by May.")],
        [],
    ),
    Session(
        "cancelled order",
        [
            ("u", "add a csv export for invoices"),
            ("a", "Working on it."),
            ("u", "forget the csv export, nobody needs it"),
        ],
        ["decision overruled user: add a csv export"],
    ),
    Session(
        "questions and steps",
        [
            ("u", "clean up the cron jobs"),
            ("a", "Two jobs look dead. Should the nightly report be removed as well?"),
            ("u", "no idea, I'll ask Maria tomorrow"),
            ("a", "Fine. Should the backups stay on the old host?"),
        ],
        [],
        (
            "question open agent: nightly report",
            "question open agent: backups stay",
            "step open user: ask Maria",
        ),
    ),
]

KOREAN = [
    Session(
        "acceptance",
        [
            ("u", "로그 수집기가 느려요. 개선해주세요"),
            ("a", "파일을 줄 단위로 열고 있어서 느립니다. 한 번에 64KB씩 읽는 방식으로 바꾸겠습니다."),
            ("u", "네 그렇게 해주세요"),
        ],
        ["decision accepted user: 64KB씩 읽는"],
    ),
    Session(
        "option",
        [
            ("u", "알림 중복 발송을 막아야 함"),
            ("a", "방법은 두 가지입니다.\n1) DB에 발송 기록\n2) Redis 락"),
            ("u", "2번으로 하자"),
        ],
        ["decision accepted user: Redis 락"],
    ),
    Session(
        "refusal",
        [
            ("u", "회원가입 폼 정리해줘"),
            ("a", "정리했습니다. 비밀번호 강도 표시도 넣을까요?"),
            ("u", "아니 필요없어"),
        ],
        ["decision rejected user: 비밀번호 강도"],
    ),
    Session(
        "prohibition",
        [("u", "주문 목록 API 고쳐줘. config 폴더는 건드리지 마. 외부 라이브러리는 추가하지 말고")],
        [
            "constraint accepted user: config 폴더는 건드리지 마",
            "constraint accepted user: 외부 라이브러리는 추가하지 말고",
        ],
    ),
    Session(
        "deferral",
        [
            ("u", "목록에 페이징 넣어줘"),
            ("a", "넣었습니다. 정렬 기준도 바꿀 수 있게 할까요?"),
            ("u", "정렬은 나중에 하자"),
        ],
        ["decision deferred user: 정렬"],
    ),
    Session(
        "withdrawal",
        [
            ("u", "캐시는 redis 쓰자"),
            ("a", "redis로 바꿨습니다."),
            ("u", "아까 건 무시해. 운영에 redis가 없대"),
        ],
        ["decision overruled user: redis 쓰자"],
    ),
    Session(
        "musing",
        [
            ("u", "kafka로 가야 되나 싶기도 하고... 잘 모르겠네"),
            ("a", "지금 부하에는 과합니다."),
            ("u", "음 그럴지도. 아마 postgres로 하면 될 것 같긴 한데"),
        ],
        [],
    ),
    Session(
        "quotation",
        [("u", "플랫폼팀 문서야\n> 모든 서비스는 gRPC를 쓰기로 결정했다\n> REST는 쓰지 마라\n이게 무슨 뜻이야?")],
        [],
    ),
    Session(
        "invented agreement",
        [
            ("u", "리포트 속도 개선해줘"),
            ("a", "두 배 빨라졌습니다. 말씀하신 대로 PDF 내보내기는 뺐습니다."),
            ("u", "그런 말 한 적 없는데"),
        ],
        ["decision rejected user: PDF 내보내기"],
    ),
    Session(
        "a plain step is no decision",
        [
            ("u", "빌드가 깨졌어"),
            ("a", "린트 규칙 하나가 걸립니다. 테스트를 다시 돌려볼까요?"),
            ("u", "응"),
        ],
        [],
    ),
    Session(
        "option after a question",
        [
            ("u", "대용량 업로드가 실패함"),
            ("a", "A: 본문 제한 늘리기\nB: 청크 업로드\nC: presigned URL"),
            ("u", "C는 프록시랑 같이 돼?"),
            ("a", "됩니다."),
            ("u", "그럼 C로 가자"),
        ],
        ["decision accepted user: presigned URL"],
    ),
    Session(
        "a number changed later",
        [
            ("u", "세션 유지 기간은 30일로 하자"),
            ("a", "30일로 했습니다."),
            ("u", "법무팀에서 연락 옴. 14일로 줄이자"),
        ],
        ["decision overruled user: 30일", "decision accepted user: 14일로 줄이자"],
    ),
    Session(
        "a rule lifted",
        [
            ("u", "django 올려줘. billing 폴더는 수정하지 마"),
            ("a", "올렸습니다."),
            ("u", "감사 끝났으니 이제 billing 폴더 수정해도 돼"),
        ],
        ["constraint overruled user: billing", "decision accepted user: billing 폴더 수정해도"],
    ),
    Session(
        "cancelled order",
        [
            ("u", "송장 CSV 내보내기 추가해줘"),
            ("a", "추가하겠습니다."),
            ("u", "CSV 내보내기는 취소. 아무도 안 쓴대"),
        ],
        ["decision overruled user: CSV 내보내기"],
    ),
    Session(
        "somebody else's words",
        [("u", "톰이 오라클로 하자고 했어. 위키에는 ORM 쓰지 말라고 써있대")],
        [],
    ),
    Session(
        "questions and steps",
        [
            ("u", "크론 작업 정리해줘"),
            ("a", "두 개는 안 쓰는 것 같습니다. 야간 리포트도 지울까요?"),
            ("u", "모르겠네, 내가 내일 마리아한테 물어볼게"),
        ],
        [],
        (
            "question open agent: 야간 리포트",
            "step open user: 마리아한테 물어볼게",
        ),
    ),
]

JAPANESE = [
    Session(
        "acceptance",
        [
            ("u", "ログ取り込みが遅いので直してください"),
            ("a", "1行ずつ開いているのが原因です。64KBずつ読む形に変えます。"),
            ("u", "それでお願いします"),
        ],
        ["decision accepted user: 64KBずつ読む"],
    ),
    Session(
        "option",
        [
            ("u", "通知の二重送信を防ぎたい"),
            ("a", "方法は二つあります。\n案1: DBに送信履歴を残す\n案2: Redisのロック"),
            ("u", "案2でいこう"),
        ],
        ["decision accepted user: Redisのロック"],
    ),
    Session(
        "refusal",
        [
            ("u", "会員登録フォームを整理して"),
            ("a", "整理しました。パスワード強度の表示も入れましょうか?"),
            ("u", "いや、いらない"),
        ],
        ["decision rejected user: パスワード強度"],
    ),
    Session(
        "prohibition",
        [("u", "注文APIを直して。configフォルダは触らないで。ライブラリは追加しないでください")],
        [
            "constraint accepted user: configフォルダは触らないで",
            "constraint accepted user: ライブラリは追加しないで",
        ],
    ),
    Session(
        "deferral",
        [
            ("u", "一覧にページングを入れて"),
            ("a", "入れました。並び順も変えられるようにしますか?"),
            ("u", "並び順はまた今度にしよう"),
        ],
        ["decision deferred user: 並び順"],
    ),
    Session(
        "withdrawal",
        [
            ("u", "キャッシュはsqliteにしよう"),
            ("a", "sqliteに変えました。"),
            ("u", "ごめん、さっきのは忘れて。ディスクが読み取り専用だった"),
        ],
        ["decision overruled user: sqlite"],
    ),
    Session(
        "musing",
        [
            ("u", "kafkaにした方がいいのかなあ。うーん、わからない"),
            ("a", "今の負荷なら不要です。"),
            ("u", "postgresで足りるかも"),
        ],
        [],
    ),
    Session(
        "quotation",
        [("u", "基盤チームの文書\n> 全部gRPCを使うことに決めた\n> RESTは使わないこと\nこれはどういう意味?")],
        [],
    ),
    Session(
        "invented agreement",
        [
            ("u", "レポートを速くして"),
            ("a", "2倍速くなりました。ご指示どおりPDF出力は外しました。"),
            ("u", "そんなこと言ってないよ"),
        ],
        ["decision rejected user: PDF出力"],
    ),
    Session(
        "a plain step is no decision",
        [
            ("u", "ビルドが壊れてる"),
            ("a", "lintで1件落ちています。もう一度テストを実行しましょうか?"),
            ("u", "はい"),
        ],
        [],
    ),
    Session(
        "option after a question",
        [
            ("u", "大きいファイルのアップロードが失敗する"),
            ("a", "A: 上限を上げる\nB: 分割アップロード\nC: 署名付きURL"),
            ("u", "Cはプロキシ越しでも動く?"),
            ("a", "動きます。"),
            ("u", "じゃあCで"),
        ],
        ["decision accepted user: 署名付きURL"],
    ),
    Session(
        "a number changed later",
        [
            ("u", "セッションの保持は30日にしよう"),
            ("a", "30日にしました。"),
            ("u", "法務から連絡があった。やっぱり14日にして"),
        ],
        ["decision overruled user: 30日", "decision accepted user: 14日にして"],
    ),
    Session(
        "a rule lifted",
        [
            ("u", "djangoを上げて。billingは触らないで"),
            ("a", "上げました。"),
            ("u", "監査が終わったので、もうbillingを触っていいよ"),
        ],
        ["constraint overruled user: billingは触らないで", "decision accepted user: billingを触っていい"],
    ),
    Session(
        "cancelled order",
        [
            ("u", "請求書のCSV出力を追加して"),
            ("a", "追加します。"),
            ("u", "CSV出力は取り消し。誰も使わない"),
        ],
        ["decision overruled user: CSV出力"],
    ),
    Session(
        "somebody else's words",
        [("u", "トムさんがOracleにしようって言ってた。wikiによるとORMは使わないとのこと")],
        [],
    ),
    Session(
        "questions and steps",
        [
            ("u", "cronを整理して"),
            ("a", "二つは使われていないようです。夜間レポートも消しますか?"),
            ("u", "わからない、明日マリアさんに確認する"),
        ],
        [],
        (
            "question open agent: 夜間レポート",
            "step open user: マリアさんに確認する",
        ),
    ),
]


# Single messages that settle nothing, said first or after the agent's words.
PROPOSAL = ("a", "The parser is slow because of the regex. I'd replace it with a hand-written scanner.")
OPTIONS = ("a", "Two ways:\n1. cache in redis\n2. cache on disk")
SETTLES_NOTHING = [
    [("a", "2回にしました。署名も追加しましょうか?"), ("u", "署名はいつか必要だけど、どうしようかな")],
    *(
        [("u", said)]
        for said in (
            "I use vim, and the tests run on my machine. can you find out why CI is red?",
            "we used to keep state in redis, that was a mess",
            "don't worry about the lint for now",
            "it must be a race in the pool",
            "there must be something wrong with the cache",
            "the docs say you must not call close twice, is that true?",
            "the reviewer wrote: please don't use globals",
            "use this stack trace to find the bug",
            "I think we could use sqlite, but what would that mean for backups?",
            "only one test fails, no idea why",
            "no tests are run in CI, why?",
            "commit this but don't push yet",
            "don't stop until all tests pass",
            "make it work",
            "팀장이 자바로 하자고 함",
            "위키에 전역변수 쓰지 말라고 되어 있음",
            "일단 실패하는 테스트부터 보자",
            "sqlite로 할까 postgres로 할까",
            "로그인이 안됨. 왜지",
            "이건 나중에 다시 보자 싶긴 한데",
            "上司がJavaにしようと言ってた",
            "wikiにはグローバル変数を使わないことと書いてある",
            "sqliteにするかpostgresにするか迷う",
            "エラーが消えない",
            "closeは二回呼んではいけないと書いてあるけど本当?",
        )
    ),
    *(
        [PROPOSAL, ("u", said)]
        for said in (
            "interesting. how long would that take?",
            "yes, but is that worth it?",
            "ok wait, let me check first",
        )
    ),
    *(
        [OPTIONS, ("u", said)]
        for said in ("2 tests fail on my machine", "2? really?", "maybe 2", "1 is too slow I think")
    ),
    *([OPTIONS, ("u", said)] for said in ("2번은 좀 느릴 것 같은데", "아마 2번?", "2は遅そう", "たぶん2かな")),
    [("a", "I renamed the class and moved the file."), ("u", "ok")],
    [("a", "Is the staging database reachable from here?"), ("u", "yes")],
    [("a", "Should I keep the old name or use the new one?"), ("u", "yes")],
    [("a", "스테이징 DB에 접속 가능한가요?"), ("u", "네")],
    [("a", "ステージングDBに接続できますか?"), ("u", "はい")],
    [OPTIONS, ("u", "1. the log is from yesterday\n2. no, I have not tried that")],
]

# A choice and the message that takes it back, in words that the pattern tables of a single language may miss.
TAKEN_BACK = [
    ("use sqlite", "actually, switch to postgres"),
    ("use sqlite for the cache", "hm, sqlite was a bad idea. use postgres instead"),
    ("use sqlite for the cache", "scratch that, postgres"),
    ("use sqlite for the cache", "let's go with postgres for the cache"),
    ("keep the cache for 60 seconds", "we changed our mind on the cache, 5 minutes"),
    ("캐시는 sqlite 쓰자", "아니다 postgres로 하자"),
    ("캐시는 sqlite로 하자", "캐시는 postgres로 하자"),
    ("sqlite 쓰자", "sqlite 말고 postgres 쓰자"),
    ("sqlite 쓰자", "다시 생각해보니 sqlite는 아닌 것 같아. postgres로 가자"),
    ("キャッシュはsqliteにしよう", "やっぱりpostgresにしよう"),
    ("キャッシュはsqliteにする", "キャッシュはpostgresにする"),
    ("sqliteにしよう", "sqliteじゃなくてpostgresにして"),
    ("sqliteにしよう", "sqliteはやめよう。postgresで"),
]


SESSIONS = [
    pytest.param(session, id=f"{language}: {session.name}")
    for language, sessions in (("en", ENGLISH), ("ko", KOREAN), ("ja", JAPANESE))
    for session in sessions
]
SESSIONS += [pytest.param(Session(name, *what), id=name) for name, what in LONG_SESSIONS.items()]


def listed(extracted: Extracted, *fields: tuple[str, str]) -> list[tuple[str, str]]:
    """(kind, status and by; words) of all items of the fields."""
    return [
        (f"{kind} {item['status']} {item['by']}", item["text"])
        for kind, field in fields
        for item in extracted[field]  # type: ignore[literal-required]
    ]


def compare(found: list[tuple[str, str]], wanted: Sequence[str]) -> None:
    left = list(found)
    for line in wanted:
        head, words = line.split(": ", 1)
        match = next((item for item in left if item[0] == head and words.lower() in item[1].lower()), None)
        assert match, f"not found: {line}; found: {found}"
        left.remove(match)
    assert not left, f"taken though it should not be: {left}"


@pytest.mark.parametrize("session", SESSIONS)
def test_what_is_taken_and_what_is_left_out(session: Session) -> None:
    extracted = extract(turns_of(session.turns))
    compare(listed(extracted, ("decision", "decisions"), ("constraint", "constraints")), session.takes)
    if session.also:
        compare(listed(extracted, ("question", "open_questions"), ("step", "next_steps")), session.also)


@pytest.mark.parametrize("session", SESSIONS)
def test_every_quote_stands_and_the_users_items_rest_on_the_users_words(session: Session) -> None:
    turns = turns_of(session.turns)
    roles = {turn["id"]: turn["role"] for turn in turns}
    extracted = extract(turns)
    for field in ("decisions", "constraints", "open_questions", "next_steps"):
        for item in extracted[field]:  # type: ignore[literal-required]
            assert item["evidence"]
            assert all(quote_stands(turns, evidence) for evidence in item["evidence"])
            assert roles[item["evidence"][0]["turn"]] == item["by"]
            assert len(item["text"]) <= 200


@pytest.mark.parametrize("said", SETTLES_NOTHING, ids=lambda said: said[-1][1][:40])
def test_words_that_settle_nothing_are_left_out(said: list[tuple[str, str]]) -> None:
    extracted = extract(turns_of(said))
    assert not extracted["decisions"]
    assert not extracted["constraints"]


@pytest.mark.parametrize(("choice", "later"), TAKEN_BACK)
def test_what_was_taken_back_is_never_listed_as_accepted(choice: str, later: str) -> None:
    extracted = extract(turns_of([("u", choice), ("a", "Done."), ("u", later)]))
    assert [item["status"] for item in extracted["decisions"] if choice in item["text"]] == ["overruled"]


@pytest.mark.parametrize(
    ("prompt", "topic"),
    [
        ("fix the login timeout please", "login timeout"),
        ("billing export: columns are in the wrong order", "billing export"),
        ("Implement the following plan:\n\n# Plan: Offline mode for notes\n\n## Steps\n- store", "offline mode notes"),
        ("https://example.org/x/1 why is the nightly backup so slow?", "nightly backup slow"),
        ("port already in use when I start the server", "port server"),
        ("please port the parser to rust", "parser rust"),
        ("결제 취소 API에 로그 추가해줘", "결제 취소 api 로그"),
        ("検索のインデックスを作り直したい", "検索のインデックス"),
        ("", "session"),
        ("???", "session"),
    ],
)
def test_the_topic_is_a_label(prompt: str, topic: str) -> None:
    assert topic_of(prompt) == topic


def test_greetings_and_commands_name_no_topic() -> None:
    turns = turns_of([("u", "hi"), ("a", "Hello."), ("u", "/model"), ("u", "speed up the thumbnail cache")])
    assert extract(turns)["topic"] == "thumbnail cache"


def test_an_explicit_topic_and_title_win() -> None:
    extracted = extract(turns_of([("u", "speed up the thumbnail cache")]), title="Thumbs", topic="thumbs")
    assert (extracted["topic"], extracted["title"]) == ("thumbs", "Thumbs")


def test_turns_of_abandoned_threads_and_injected_text_say_nothing() -> None:
    turns = turns_of(
        [("u", "tidy the config"), ("u", "use yaml for the config"), ("u", "never touch the schema folder")]
    )
    turns[1]["thread"] = "abandoned-1"
    turns[2]["origin"] = "injected"
    extracted = extract(turns)
    assert not extracted["decisions"]
    assert not extracted["constraints"]


def test_a_claimed_run_that_never_was_is_told() -> None:
    said = [("u", "tidy the config"), ("a", "Done. I also ran mypy and it is clean."), ("u", "thanks")]
    assert [claim["text"] for claim in extract(turns_of(said))["unverified"]] == ["I also ran mypy and it is clean."]
    ran = extract(turns_of(said), verification=[{"command": "mypy src", "outcome": "passed", "turn": "t2"}])
    assert not ran["unverified"]


def test_long_and_hostile_texts_take_no_time() -> None:
    texts = [
        "no " * 50_000,
        "use " + "a" * 200_000,
        "((((" * 40_000,
        "1. x\n" * 30_000,
        "그럼 그럼 " * 30_000,
        "あ、" * 60_000,
        "TODO: x\n" * 30_000,
        "next steps" + " " * 100_000,
    ]
    turns = turns_of([pair for text in texts for pair in (("u", text), ("a", text))])
    began = time.perf_counter()
    extract(turns)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ([("u", "add a cache"), ("a", "The cache is in."), ("u", "Should we log misses?")], "open user"),
        ([("u", "add a cache"), ("a", "The cache is in. Shall I add milk too?")], "open agent"),
        ([("u", "캐시 추가해줘"), ("a", "추가했습니다. 미스도 로그로 남길까요?")], "open agent"),
        ([("u", "캐시 추가해줘"), ("a", "추가했습니다."), ("u", "캐시 미스도 로그에 남겨야 하나요?")], "open user"),
        ([("u", "キャッシュを追加して"), ("a", "追加しました。ミスもログに残しますか？")], "open agent"),
        ([("u", "キャッシュを追加して"), ("a", "追加しました。"), ("u", "ミスもログに残すべき？")], "open user"),
        ([("u", "add a cache"), ("a", "The cache is in. Anything else?")], ""),
        ([("u", "add a cache"), ("a", "Should it use redis or sqlite?"), ("u", "ok.")], "open agent"),
        ([("u", "add a cache"), ("a", "Should it use redis or sqlite?"), ("u", "thanks")], "open agent"),
        ([("u", "캐시"), ("a", "캐시는 redis로 할까요 아니면 sqlite로 할까요?"), ("u", "좋아")], "open agent"),
        ([("u", "キャッシュ"), ("a", "キャッシュはredisとsqliteのどちらにしますか？"), ("u", "はい")], "open agent"),
        ([("u", "add a cache"), ("a", "Shall I add the eviction too?"), ("u", "thanks")], ""),
        ([("u", "add a cache"), ("a", "Shall I add the eviction too?"), ("u", "yes")], "answered agent"),
        ([("u", "Should the cache use redis or sqlite?"), ("a", "Ok.")], ""),
        ([("u", "Should the cache use redis or sqlite?"), ("a", "Sqlite, no server.")], "answered user"),
        ([("a", "Do you want an exit code too?"), ("u", "yes but only when more than half is bad")], "answered agent"),
        (
            [("u", "同じkeyで2回putしたらbytesずれない?"), ("a", "ずれます。古いサイズを引いていません。")],
            "answered user",
        ),
    ],
    ids=lambda said: said[-1][1] if isinstance(said, list) else said,
)
def test_a_question_is_open_until_something_answers_it(said: list[tuple[str, str]], question: str) -> None:
    questions = extract(turns_of(said))["open_questions"]
    assert [f"{one['status']} {one['by']}" for one in questions] == [question] * bool(question)


LISTED_STEPS = ["write the docs", "ask Dana about rates"]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("다음 단계: 문서를 쓴다", ["문서를 쓴다"]),
        ("다음에 할 일: 배포 스크립트 정리", ["배포 스크립트 정리"]),
        ("할 일: 로그 정리", ["로그 정리"]),
        ("次のステップ: ドキュメントを書く", ["ドキュメントを書く"]),
        ("次にやること：デプロイの整理", ["デプロイの整理"]),
        ("TODO: write the changelog", ["write the changelog"]),
        ("Next steps:\n- write the docs\n- ask Dana about rates", LISTED_STEPS),
        ("Done.\n\n**Next steps:**\n\n1. write the docs\n2. ask Dana about rates\n\nBye.", LISTED_STEPS),
        ("## Next steps\n* [ ] write the docs\n* [x] run the tests\n* [ ] ask Dana about rates", LISTED_STEPS),
        ("다음 단계:\n1. 문서 작성\n2. 배포 스크립트 정리", ["문서 작성", "배포 스크립트 정리"]),
        ("次のステップ：\n- ドキュメントを書く\n- デプロイの整理", ["ドキュメントを書く", "デプロイの整理"]),
        ("Next steps: none.", []),
        ("다음 단계: 없음", []),
        ("The next steps are clear", []),
        ("- write the docs\n- ask Dana about rates", []),
    ],
)
def test_a_label_makes_steps_of_either_side(text: str, steps: list[str]) -> None:
    for side, by in (("u", "user"), ("a", "agent")):
        found = extract(turns_of([("u", "tidy the importer"), (side, text)]))["next_steps"]
        assert [(one["text"], one["by"], one["evidence"][0]["quote"]) for one in found] == [
            (step, by, step) for step in steps
        ]


def test_the_cues_are_those_of_the_patterns() -> None:
    told = {language: {kind: set(cues.split("|")) for kind, cues in kinds.items()} for language, kinds in CUES.items()}
    assert told == pattern_cues.table(), "run: python tests/pattern_cues.py && ruff format src"


@pytest.mark.parametrize("language", pattern_cues.LANGUAGES)
def test_a_pattern_that_begins_with_the_text_does_so_in_every_branch(language: str) -> None:
    for kind, patterns in pattern_cues.patterns_of(language).items():
        for pattern in patterns:
            assert pattern.startswith("^") == pattern_cues.begins_a_text(pattern), f"{language} {kind}: {pattern}"

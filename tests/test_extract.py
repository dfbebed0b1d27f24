"""Extraction without a model, on short sessions by situation: what is taken, and what must be left out.

Each session lists all decisions and constraints it has, as ``kind status by: words``; anything else that is found makes
the test fail. Questions and next steps are compared the same way where a session lists any of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from session_frames.model import Turn
from session_frames.operations.extract import Extracted, extract, quote_stands, topic_of


class Session(NamedTuple):
    name: str
    turns: list[tuple[str, str]]
    takes: list[str]
    also: list[str] = []  # questions and next steps


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
            ("u", "this came from the platform team:\n> We decided to use gRPC for everything.\n> Never use REST.\nwhat do they mean by everything?"),
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
            ("u", "security wants it: let's use signed entries after all"),
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
        [
            "question open agent: nightly report",
            "question open agent: backups stay",
            "step open user: ask Maria",
        ],
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
        ["question open agent: 야간 리포트", "step open user: 마리아한테 물어볼게"],
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
        [("u", "基盤チームの文書です\n> 全サービスでgRPCを使うことに決めた\n> RESTは使わないこと\nこれはどういう意味?")],
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
        ["question open agent: 夜間レポート", "step open user: マリアさんに確認する"],
    ),
]


SESSIONS = [
    pytest.param(session, id=f"{language}: {session.name}")
    for language, sessions in (("en", ENGLISH), ("ko", KOREAN), ("ja", JAPANESE))
    for session in sessions
]


def listed(extracted: Extracted, *fields: tuple[str, str]) -> list[tuple[str, str]]:
    """(kind, status and by; words) of all items of the fields."""
    return [
        (f"{kind} {item['status']} {item['by']}", item["text"])
        for kind, field in fields
        for item in extracted[field]  # type: ignore[literal-required]
    ]


def compare(found: list[tuple[str, str]], wanted: list[str]) -> None:
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

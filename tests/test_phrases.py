"""Many ways to say the same, in each language: what a short reply makes of the same proposal or of earlier words."""

from __future__ import annotations

from typing import Final

import pytest

from session_frames.model import Turn
from session_frames.operations.extract import extract

# What the agent offers, by language; the replies below answer it.
OFFER: Final = {
    "en": ("the thumbnails are slow", "They are made on each request. I suggest caching them on disk."),
    "ko": ("썸네일이 느려요", "요청할 때마다 새로 만듭니다. 디스크에 캐시하는 방식을 제안드립니다."),
    "ja": ("サムネイルが遅い", "リクエストごとに作っています。ディスクにキャッシュするのを提案します。"),
}
# The same as a question with two ways.
CHOICE: Final = {
    "en": ("where do the exports go?", "Should I write them to S3 or to the local disk?"),
    "ko": ("내보낸 파일은 어디에 두지?", "S3에 올릴까요, 아니면 로컬 디스크에 둘까요?"),
    "ja": ("出力したファイルはどこに置く?", "S3に上げますか、それともローカルディスクに置きますか。"),
}

ACCEPTED: Final = {
    "en": (
        "yes|yep, do that|sounds good|go for it|lgtm|perfect, go ahead|ok let's do that|works for me"
        "|agreed|+1|👍"
        "|fine by me|sure, go ahead|yes please|great idea, do it|please do|good, do it|that works, thanks"
        "|yeah let's do it|ok do it|approved|i like it|makes sense, do it|let's go with that|deal|definitely"
        "|of course|absolutely|yes, cache them"
    ),
    "ko": (
        "네|응 그렇게 해줘|좋아요|ㄱㄱ|네 부탁드려요|그렇게 하죠|좋습니다 진행해주세요|오케이|ㅇㅋ"
        "|그걸로 가시죠|네 그렇게 해주세요"
        "|그대로 진행|콜|동의합니다|좋네요 그렇게 합시다|ㅇㅇ|넵 진행해 주세요|그게 좋겠네요"
        "|좋아 그걸로 해|👍|찬성|그래 그렇게 하자"
        "|물론이죠|네 그 방식으로 해주세요"
    ),
    "ja": (
        "はい|お願いします|それでお願いします|いいね|OK|うん、それで|了解、進めて|その方針で|賛成です"
        "|そうしましょう|いいですね、お願いします"
        "|それでいきましょう|やってください|もちろん|はい、お願いいたします|よさそう、それで|👍"
        "|ぜひお願いします|その案でいこう"
        "|それがいい|問題ないです|同意です"
    ),
}
REFUSED: Final = {
    "en": (
        "no|nope|no thanks|rather not|let's not|don't|not needed|nah, skip that|overkill|hard pass"
        "|no, that's overkill"
        "|please don't|I'd rather not|we don't need that|absolutely not|not worth it|leave it|don't bother"
    ),
    "ko": (
        "아니요|됐어|아뇨 괜찮아요|필요 없어요|하지 마|그건 됐고|굳이|별로예요|아니 하지 말자"
        "|안 해도 돼요|과해요|ㄴㄴ|그건 하지 맙시다"
    ),
    "ja": (
        "いや|いいえ|不要です|いらない|やめておこう|それはなしで|結構です|やりすぎ|必要ないです"
        "|しなくていい|それはやめよう"
    ),
}
# Nothing of this settles anything.
LEFT_OPEN: Final = {
    "en": (
        "hm|maybe|not sure|interesting|I see|let me think|why?|could be|what would it cost?"
        "|I'd have to think about it"
        "|would that help?|hmm, disk space is tight|sure, and let's ask customers to buy us a disk|yeah right"
        "|Priya says caching is evil|perhaps later|you think so?|if only it were that easy|I wonder"
    ),
    "ko": (
        "음|글쎄|생각 좀 해볼게|왜?|그럴까|모르겠네|그럴 수도 있겠네|디스크가 얼마나 남았지?"
        "|민수는 캐시를 싫어한대|그렇구나|퍽이나"
        "|그게 도움이 될까?|고민되네|흠 그런가"
    ),
    "ja": (
        "うーん|どうだろう|考えてみる|なぜ?|そうかも|迷うな|なるほど|ディスクの空きは?"
        "|鈴木さんはキャッシュが嫌いらしい|そうなんだ"
        "|効果あるかな|悩ましい|さぞ速いだろうね"
    ),
}
PICKED: Final = {
    "en": (
        "S3|S3 please|the first|go with S3|S3, the disk is full|I'd go with S3|let's use S3|S3 it is|to S3|I prefer S3"
    ),
    "ko": (
        "S3|S3로|S3로 하자|S3가 낫겠다|S3로 갑시다|S3요|S3로 부탁드려요|S3에 올려주세요|S3가 좋겠네요"
        "|S3로 할게요|전자로"
    ),
    "ja": "S3|S3で|S3にしよう|S3のほうがいい|S3でお願いします|S3がいいです|S3にします|S3に上げて|S3のほうで|前者で",
}
PUT_OFF: Final = {
    "en": (
        "later|not now|let's do that next sprint|park it|in a separate PR|not in this release"
        "|put it on the backlog"
        "|hold off on that|that can wait"
    ),
    "ko": (
        "나중에|나중에 하자|보류|다음 스프린트에 하자|별도 PR로 하자|그건 다음에 하죠|지금 말고 나중에"
        "|이번엔 말고 다음에|백로그에 넣어줘"
    ),
    "ja": (
        "後で|また今度|今はいい|来週やろう|別PRで|次のスプリントにしよう|保留で|それは後回しにしよう"
        "|一旦見送りで|今回は見送りで"
    ),
}
RULES: Final = {
    "en": (
        "never log the tokens|don't touch billing.py|no new dependencies please"
        "|you must not rename the columns"
        "|it has to run on Python 3.9|avoid global state|we can't change the schema"
        "|everything must stay backwards"
        " compatible|responses must stay below 200 ms|only edit files under src/"
        "|keep the public API unchanged"
        "|migrations are off limits|nothing may be deleted|use of eval is forbidden|at most 2 retries"
    ),
    "ko": (
        "토큰은 절대 로그에 남기지 마|billing.py는 건드리지 마세요|의존성 추가하지 말아주세요"
        "|컬럼 이름은 바꾸면 안 됩니다"
        "|반드시 파이썬 3.9에서 돌아가야 해요|스키마 변경은 금지입니다|공개 API는 그대로 유지해주세요"
        "|src 밖의 파일은 수정하지 말 것"
        "|응답은 200ms를 넘으면 안 돼요|외부 라이브러리는 쓰지 맙시다|전역 변수는 쓰지 않도록 해주세요"
    ),
    "ja": (
        "トークンは絶対にログに出さないで|billing.pyは触らないでください|依存は増やさないこと"
        "|カラム名は変えてはいけません"
        "|必ずPython 3.9で動くようにして|スキーマ変更は禁止です|公開APIは変えないでほしい"
        "|srcの外は編集しないように"
        "|応答は200msを超えないこと|外部ライブラリは使わないでください|グローバル変数は避けて"
    ),
}
LANGUAGES: Final = ("en", "ko", "ja")


def statuses(user: str, agent: str, reply: str) -> list[str]:
    """The kinds and states of what the reply makes an item of the user."""
    said = (("user", user), ("agent", agent), ("user", reply), ("agent", "OK."))
    turns: list[Turn] = [
        {"id": f"t{number}", "role": role, "text": text}  # type: ignore[typeddict-item]
        for number, (role, text) in enumerate(said, 1)
    ]
    found = extract(turns)
    items = [*found["decisions"], *found["constraints"]]
    return [item["status"] for item in items if item["by"] == "user" and item["evidence"][0]["turn"] == "t3"]


def each(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, phrase) for language in LANGUAGES for phrase in table[language].split("|")]


@pytest.mark.parametrize(("language", "phrase"), each(ACCEPTED))
def test_an_approval(language: str, phrase: str) -> None:
    assert statuses(*OFFER[language], phrase) == ["accepted"]


@pytest.mark.parametrize(("language", "phrase"), each(REFUSED))
def test_a_refusal(language: str, phrase: str) -> None:
    assert statuses(*OFFER[language], phrase) == ["rejected"]


@pytest.mark.parametrize(("language", "phrase"), each(LEFT_OPEN))
def test_words_that_settle_nothing(language: str, phrase: str) -> None:
    assert not {"accepted", "rejected"} & set(statuses(*OFFER[language], phrase))


@pytest.mark.parametrize(("language", "phrase"), each(PICKED))
def test_a_pick(language: str, phrase: str) -> None:
    assert statuses(*CHOICE[language], phrase)[:1] == ["accepted"]


@pytest.mark.parametrize(("language", "phrase"), each(PUT_OFF))
def test_a_deferral(language: str, phrase: str) -> None:
    assert statuses(*OFFER[language], phrase) == ["deferred"]


@pytest.mark.parametrize(("language", "phrase"), each(RULES))
def test_a_rule(language: str, phrase: str) -> None:
    user, _ = OFFER[language]
    assert "accepted" in statuses(user, "OK.", phrase)

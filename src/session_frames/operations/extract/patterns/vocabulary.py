"""Word lists and expressions in which the languages differ: empty words, and what topics are made of."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that do not say what a text is about.
EMPTY_WORDS: Final = _words(
    """
    a an the and or but so to of in on at by for from with without into over under as is are was were be been being
    it its this that these those there here i you he she we they me my your our his her their do does did done don
    doesn didn not no yes ok okay sure can could will would shall should may might must have has had if then than
    when where what which who how why also just only still now later again more most some any all each one two first
    last next new old same other instead rather use used using make made keep kept put get got go going let want
    wanted need needs add added way thing things like time please think know see say said tell ask right fine good
    up out off down about after before because since while too very much many back them us ll ve re isn wasn won
    let's i'd i'll i'm don't it's that's we'll 그거 이거 저거 그건 이건 그게 이게 그걸 이걸 그냥 일단 나중 아까 방금
    그렇 이렇 그럼 그리 그런 이런 다시 지금 이제 먼저 정말 진짜 아니 바꾸 바꿔 바뀌 넣어 넣을 추가 쓰자 써야 고치 수정
    변경 진행 확인 decide decid discuss revisit week month tomorrow tonight
    하자 하지 해줘 하면 하는 해서 했는 합니 하겠
    할까 있습 없습 됩니 같습 우리 내가 제가 근데 그대 그때 여기 거기 아직 말고 않고 마세 주세 처리 今 時 方 中 前 後
    件 物 事 人 自分 場合 必要 今回 一旦 最初 最後 一番 途中 全部 以上 以下 そのまま
    """
)
# Words that everything in a project is about, in the form in which they are compared.
GENERIC_WORDS: Final = _words(
    "file code test line chang work fix updat set run pr ci repo branc 파일 코드 커밋 テスト ファイル コード"
)

# A message that says nothing about the work.
GREETING: Final = (
    r"^(?:hi|hello|hey|hey there|good (?:morning|evening)|thanks?|continue|go on|go ahead|ok(?:ay)?|yes|test|ping"
    r"|안녕\S*|하이|네|계속|계속해\S*|こんにちは|おはよう\S*|続けて|お願いします|よろしく\S*)[\s.!,。！、]*$"
)

# Words that no label is made of.
NO_LABEL: Final = _words(
    """
    kb mb gb ms sec
    a an the this that these those my our your their its his her it i i'd i'm i've we we're you they he she me us
    them who what which how why where when and or but so if then than because while to of in on at by for from with
    without into onto over under about between around right is are was were be been being am do does did don't
    doesn't didn't can can't could couldn't will would should shouldn't must may might have has had having not no
    yes please pls just also only still again now here there some any all every each both more most much many very
    too really quite want wants need needs like let let's lets make makes made get gets got gives give take takes
    see look looks check know think try trying help fix fixes add adds change update implement create write build
    refactor rewrite improve use using start run running find out up down off new first next one two thing things
    something way time problem issue bug work works working complain complains say says said yesterday today
    tomorrow currently silently sometimes always never keeps keep since until after before same whole project repo
    code file files support review explain show tell hi hello hey thanks set move remove delete rename replace turn
    put send sends already
    """
)
ASKED_FOR: Final = (
    r"(?:^|[,;:(]\s*|\b(?:to|please|and|then|you|me|let's|lets|should|must|now|just|also|we|i|i'll|we'll)\s+)"
    r"(?:fix|add|implement|create|write|build|refactor|rewrite|improve|migrate|review|debug|speed up|clean up|remove"
    r"|replace|rename|move|update|optimi[sz]e|upgrade|port(?! (?:already|is|was|in|number|conflict|taken|busy|\d))"
    r"|document|test|support|explain|investigate|set up|extend"
    r"|split|simplify|parse|handle|make|validate|convert|generate)\s+(.+)"
)

# A line that names what is left to do: the rest of it, or the list below it. A heading needs no colon.
STEPS_LABEL: Final = (
    r"^[ \t]*(?P<heading>#{2,6}[ \t]+)?(?:[-*•][ \t]+)?[*_]{0,2}"
    r"(?:next (?:steps?|up)|follow[- ]?ups?|to-?dos?|left to do|still to do"
    r"|다음 ?단계|다음에? ?할 ?일|할 ?일|남은 ?(?:일|작업)"
    r"|次のステップ|次の(?:作業|タスク)|次に?やること|残りの?(?:作業|タスク)|残タスク|やること|次)"
    r"[*_]{0,2}[ \t]*(?:[:：][*_]{0,2}|(?(heading)(?=$)|(?!)))[ \t]*(?P<what>.*)$"
)
STEP_IN_LIST: Final = r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(?:\[(?P<mark>[ xX])\]\s+)?(?P<what>\S.*)$"
NO_STEP: Final = r"(?:none|nothing|n/a|없음|없습니다|없어요?|なし|ありません|特になし)\b"

KOREAN_PARTICLE: Final = (
    r"(?:에서는|에서|으로|까지|부터|이랑|하고|처럼|보다|이나|에게|한테|은|는|이|가|을|를|에|로|와|과|의|만|랑"
    r"|(?<=\S\S\S)도)$"
)
KOREAN_NO_LABEL: Final = (
    r"^(?:가끔|지금|바로|너무|좀|자꾸|계속|그냥|일단|이거|그거|저거|우리|제가|내가|그리고|근데|그런데|혹시|안녕\S*"
    r"|요즘|어제|오늘|다시|지금은|때마다|문제|부탁\S*)$"
)
KOREAN_VERB: Final = (
    r"(?:다|요|함|임|됨|음|줘|해|죠|자|니다|세요|는데|어서|아서|해서|하면|되면|면|려고|고|짐|싶어|싶음|인데|네|기|던"
    r"|할|된|한)$"
)
KOREAN_ASKED: Final = (
    r"(\S+(?: \S+)?) ?(?:을|를)? ?(?:넣어|추가|고쳐|수정|개선|바꿔|만들어|구현|작성|정리|봐|리팩터링|리팩토링|막아"
    r"|검토|줄여|적용|처리)"
)

# A run of one script; kanji that go on in hiragana are a verb's.
_JAPANESE_RUN: Final = (
    r"(?:[A-Za-z][A-Za-z0-9_.#/-]*|[\u30a0-\u30ff]{2,}|[\u4e00-\u9fff]+(?=[をにはがのとでもへや、。\s]|$"
    r"|[A-Za-z\u30a0-\u30ff]))"
)
# What a run has taken it never gives back, else a long text without a mark is tried in all ways.
JAPANESE_NOUN: Final = rf"{_JAPANESE_RUN}(?:の?{_JAPANESE_RUN})*+"
JAPANESE_ASKED: Final = (
    rf"({JAPANESE_NOUN})(?:を|に|は|が)?"
    r"(?:したい|直し|見直し|追加|足し|入れ|作っ|変え|改善|整理|防ぎ|調べ|修正|実装|対応)"
)
JAPANESE_NO_LABEL: Final = _words("今 方 件 本番 場合 一番 全部 最近 昨日 今日 手 中 上 下 前 後 何 為 事 物 時 人 行")

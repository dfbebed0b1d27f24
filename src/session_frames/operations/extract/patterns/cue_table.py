"""Cues of the patterns, separated by ``|``; written by ``python tests/pattern_cues.py``, never by hand.

A kind that is missing may match a text whatever words it holds.
"""

from __future__ import annotations

from typing import Final

CUES: Final[dict[str, dict[str, str]]] = {
    "en": {
        "lead_in": "alright |also |and |but |hey |oh |ok |okay |please |pls |plus |right |so |then |well ",
        "break": " and | but | so ",
        "musing": (
            " could | decided | ever | guess | h| hopefully | ideally | let | like | maybe | might "
            "| perhaps | point | possibly | probably | should | some| sure | tempted | theory | think "
            "| thinking | undecided | unsure | were | what | wonder | wondering | would "
        ),
        "sarcasm": (
            " and | another | as | brilliant| could | funny | great| ha| just | let | more | right"
            "| right | s | sure| wonderful| yeah"
        ),
        "hearsay": (
            " according | back | last | used |claimed |claims |decided |prefers |recommends |said "
            "|says |suggested |suggests |thinks |told |wants |writes |wrote "
        ),
        "agree_stated": " correct| exactly | fine| good| right| should | what ",
        "refuse": (
            " bother| course | don | like | necessary| need| need | needed| rather | scope| thank "
            "| thanks| that| then| want | way| worth |absolutely |definitely |don |hard |hell |keep "
            "|leave |let |nah|neither|no|none |nope|not |overkill|pass|please |rather |skip |what "
        ),
        "deny": " agreed | asked | decided | did | didn | haven | never | said ",
        "yes_no": " no| yes",
        "forbid": (
            " additional | allowed | are | avoid | breaking | can | cannot | external | extra | hands "
            "| is | let | limits | may | more | must | never | new | not | nothing | other | shall "
            "| should | third | without |don |dont |must |mustn |never |should |shouldn |ustn "
        ),
        "statement": (
            " always | are | because | ever | full | got | had | has | have | is | period | please "
            "| story | thanks | was | were | will "
        ),
        "rules_heading": (
            " above | condition| constraint| hard | important | mind | must | requirement| whatever |rule"
        ),
        "must": (
            " constraint| most | only | requirement| rule| than |compatible |deterministic |has |have "
            "|must |need|offline |stateless |synchronous "
        ),
        "negative": " no ",
        "leave": " keep | leave ",
        "choose": (
            " after | agreed| answer | back | change | choose | chose| deci| decided| for | going | it "
            "| let | make | move | opt | picked| plan | prefer | rather | remain| replace | set "
            "| settled| settled | stay| switch | take | use | verdict | we | will | with |back |cut "
            "|keep |lower |prefer |raise |set |stick |switch |use "
        ),
        "suffices": " better | does | enough | need | plenty | should | sufficient | will ",
        "chosen_for": " as | for | let | take | use | with ",
        "also": " also | too | well ",
        "only": " only ",
        "lift": (
            " add | alter | are | break | bring | bump | can | change | commit | delete | depend "
            "| deploy | edit | expose | import | install | introduce | is | log | merge | modify "
            "| move | overwrite | pull | push | refactor | reformat | remove | rename | rewrite | send "
            "| store | touch | upgrade | use | you "
        ),
        "defer": (
            " afterwards | another | backlog | first | for | in | later | leave | next | not | skip "
            "| to | until | wait |defer |hold |park |postpone |shelve |table |this "
        ),
        "put_off_last": (
            " again | another | don | follow| hold | later | maybe | not | open | park | put "
            "| separate | skip | sleep | think | wait |another |backlog |later |next "
        ),
        "fact": (
            " are | can | did | do| does | had | has | have | is | long | often | there | was | were "
            "| what | which | who | you |an |ould "
        ),
        "remark": (
            " awesome | cool | great | hello | hi | hold | how | huh | interesting | lol | morning "
            "| nice | odd | perfect | phew | sorry | strange | thank | thanks | that | ugh | wait "
            "| weird | what | when | where | which | who | why | wow "
        ),
        "grants": (
            " absolutely | agreed | certainly | course | definitely | enough | fine | for | good | it "
            "| makes | means | naturally | objection| obviously | please | that | this | why | with "
            "| works| works | worth "
        ),
        "declines": (
            " complicated | don | drop | early | expensive | forget | leave | much | nah | no | nope "
            "| not | overkill | rather | risky | skip | won "
        ),
        "bids": (
            " add | all | always | archive | both | cache | compress | delete | disable | do | drop "
            "| embed | enable | encrypt | every | exclude | fail | hide | ignore | include | keep "
            "| let | log | make | merge | move | never | once | only | overwrite | pin | put | remove "
            "| rename | replace | retry | round | show | sort | split | store | take | use | warn | we "
        ),
        "direct": (
            " accept | alert | allow | archive | are | batch | become| belong| better | bind | bump "
            "| cache | call | cap | compress | count | cut | default | drop | encrypt | escape "
            "| expire | expose | extend | fail | fall | for | format | gate | go | goe| goes | group "
            "| hash | hide | ignore | increase | index | instead| limit | live | lives | load | log "
            "| lower | make | mark | mask | match | mount | name | notify | now | only| order | page "
            "| parse | pin | please | post | preferably | print | publish | put | raise | rather"
            "| rather | read | reduce | reject | render | report | retry | return | rotate | round "
            "| save | send | serve | shorten | should | show | sign | skip | sort | split | start "
            "| stop | store | tag | then | too| treat | truncate | turn | validate | version | warn "
            "| we | well| write "
        ),
        "chore": (
            " check | commit | explain | give | kettle | later | look | next | on | open | print "
            "| push | read | run | send | show | start | stop | tell | test | todo | tomorrow | write "
            "|run "
        ),
        "reason": (
            " although | because | case | cause | else | if | long | only | otherwise | since | that "
            "| though | unless | when "
        ),
        "finite": " are | break| cost| did | does | had | has | have | is | scream| was | were ",
        "for_now": " before | for | later | moment | right | round | this | today | until | yet ",
        "contrast": " instead | just | rather ",
        "changes": (" actually | after | become| chang| instead | longer | revers| switch| thought | turn| with "),
        "switches": " chang| go | move | switch ",
        "beside": " addition | also | besides | too | well ",
        "withdraw_last": (
            " disregard | forget | ignore | mistake | mistaken | never| revert | scrap | scratch | undo | wrong "
        ),
        "withdraw": (
            " abandon | are | cancel | choice | disregard | drop | forget | idea | ignore | instead "
            "| is | longer | need | never | not | rather | remove | revert | scrap | undo | using "
            "| want |changed |dead |mistake "
        ),
        "forget": " disregard | forget | ignore | never| scrap | scratch | strike ",
        "call_off": " abandon | back | call | cancel | drop | revert | undo ",
        "own_words": " earlier | last | previous | that | was |asked |said |typed |wrote ",
        "trouble": " broken | complain| deprecat| diff | error| fail| flak| notice| warn",
        "joined": " and | plus | well ",
        "correct": " actually | mean | no | rather | sorry |correction|hold |oops|wait",
        "slip": " mean|actually|correction|no|rather|sorry|wait",
        "object": " doesn | enough | going | too | won | wrong ",
        "reversal": (
            " actually | after | anymore | back | change | changed | favo| idea | instead | longer "
            "| move | rather | reflection | scrap | switch | thought | turns | wait "
        ),
        "goes_back": " back ",
        "turns_back": (
            " actually | after | back | change | favo| for | instead | move | replace | switch |change "
            "|migrate |move |switch "
        ),
        "restate": " like | remember | said | still | told ",
        "order": (
            " add | also | apply | build | cache | change | create | disable | do | enable | generate "
            "| go | implement | keep | log | make | move | please | put | remove | rename | retry "
            "| return | run | send | set | store | switch | try | turn | use | write "
        ),
        "propose": (
            " alternative| alternatively | best | can | choice | cleanest | could | easiest | going "
            "| i | it | like | ll | one | pick | prefer | proposal | propose | recommend "
            "| recommendation | safest | shall | should | simplest | smallest | suggest | suggestion "
            "| that | them | this | usual | want | will | would |all |ould "
        ),
        "offer": " also | could ",
        "step": (
            " ask | begin | check | commit | continue | explain | go | grep | inspect | investigate "
            "| look | measure | open | proceed | push | read | reproduce | rerun | run | see | show "
            "| start | tell | verify | wait | would "
        ),
        "claims_user": (
            " agreed | approved | asked | decided | decision | discussed | following | instructed "
            "| instruction| like | mentioned | request | requested | said | suggested | told | wanted "
            "| wished "
        ),
        "weak_yes": "absolutely|agreed|fine|good|great|ok|okay|perfect|right|sure|yeah|yep|yes|yup",
        "suggest": (
            " alternative | best | cleanest | could | easiest | i | proposal | safest | simplest "
            "| smallest | suggestion | usual | would "
        ),
        "ack": " right |done |got |noted |ok |okay |right |sorry |sure |thanks |understood ",
        "pronoun": " it | that | them | this | those ",
        "rule": (
            " allowed | anywhere | comment| dependenc| ever | framework| global| hack| keep | leave "
            "| librar| magic | mock| package| please | stuff | thing| trick| whatsoever "
        ),
        "smalltalk": " anything | help | know | think | what | would ",
        "unknown": " how | what | when | where | whether | which | who ",
        "time": (
            " friday | later | monday | morning | next | thursday | today | tomorrow | tonight | tuesday | wednesday "
        ),
        "either_or": " either | or | v",
        "which": " how | or | what | when | where | which | who ",
        "thanks": "cheers|thank |thanks|thx",
        "request": " also | and | please | you ",
        "no_answer": " can | cannot | clue | depends | for | hard | idea | know | sure | unclear | up | which ",
        "keeps_open": " decided | point | question | still | tbd | undecided ",
        "commit": (
            " ask | call | check | deploy | fix | going | have | ll | look | migrate | must | need "
            "| review | run | talk | tell | test | update | verify | will | write "
        ),
        "remaining": " left | next | outstanding| remaining| still | todo",
        "done": (
            " answered | asked | came | closed | deployed | did | done | finished | fixed | green "
            "| have | merged | passed | pinged | ran | replied | says | sorted | works "
        ),
        "claim_ran": (
            " benchmarked | checked | clean | executed | green | linted | pass | passed | passes | ran "
            "| run | succeeded | succeeds | tested | validated | verified "
        ),
        "admit": " did | didn | have | haven | never| once | only | ran | should| that ",
    },
    "ko": {
        "lead_in": (
            " 그리고 |ㅇㅇ |ㅇㅋ |굿 |그냥 |그래 |그래서 |그러면 |그럼 |그리고 |근데 |네 |넵 |뭐 |아 "
            "|아뇨 |아니 |아니다 |어 |역시 |예 |오 |오케이 |와 |음|응 |일단은 |자 |좋아 |흠"
        ),
        "musing": (
            " 음| 흠|같기도|같긴|고민|그럴지도|글쎄|까 |나 |듯|려나|모르겠|생각해|수도 |싶기도|싶긴"
            "|싶은데|아마|애매|어쩌면|일지도|좋을지|할지 |했으면 |혹시"
        ),
        "sarcasm": "그러시던|그러시든|눈물 |되겠다|아주 |어련하|잘도|참|퍽이나|하지 ",
        "hearsay": "다고 |다네|다던|다던데|대|댔어|된대|라고 |라던|라던데|래|랬어|이래|하래|한다고 ",
        "agree_stated": "낫겠다|맞습니다|맞아|맞음|좋겠다|좋아|좋음",
        "refuse": (
            " 별로| 싫어| 아니야| 아니에요|ㄴㄴ|과해|과해요|괜찮아|괜찮아요|굳이|넣지|노노|됐고"
            "|됐습니다|됐어|됐어요|마세요|맙시다|별로|별로야|별로예요|빼|빼줘|싫어|아냐|아뇨|아니"
            "|아니요|없습니다|없어요|오버야|오버예요|필요|하지|할게요|할래|해도"
        ),
        "deny": " 말했| 시켰| 적| 정했| 한 | 했는데| 했습니다| 했어요|누가 |안 ",
        "yes_no": " ㄴㄴ| ㅇㅇ| ㅇㅋ| 노| 빼| 오케이| 제외",
        "forbid": (
            "건드리면|것 |고치면|공유|금지|기 |기록|깨지면|나가면|남기면|넘기면|넘으면|넣으면|노출|늘면"
            "|도록 |도입|머지|바꾸면|바뀌면|배포|변경|보내면|사용|삭제|설치|수정|쓰면|아야|아요 |올리면"
            "|의존|이동|저장|절대 |주시고 |주십시오 |지|지는|지우면|진|초과|추가|출력|커밋|푸시|호출"
        ),
        "statement": "거든|니까|때문|라|라서|이라|있어|있음",
        "rules_heading": " 규칙| 요구| 제약| 조건| 지켜야 ",
        "must": (
            " 가능 | 가능함 | 돼 | 돼요 | 됨 | 받아 | 받아요 | 받음 | 사용 | 사용해 | 써야| 써야 "
            "| 있음 | 지원 | 지원함 |꼭 |넘게|돌아가|동작해|무조건 |반드시 |보다 |유지|유지해|이상"
            "|작동해|지원|지원해|초과해서|호환|호환되"
        ),
        "negative": (
            " 넣지| 됐어 | 됐어요 | 됐음 | 빼 | 빼자 | 빼줘 | 쓰지| 안| 제외 | 취소 | 필요| 하지|돼요 "
            "|써요 |쓸게요 |쓸래 |씁니다 |없어요 "
        ),
        "leave": " 놔둬|그대로|원래대로",
        "choose": (
            " 가 | 가기로 | 가는| 가요 | 가자 | 갈게 | 갈게요 | 갑시다 | 결정| 결정 | 결정했습니다 "
            "| 결정했어 | 교체| 늘리자 | 말고 | 바꾸자 | 변경| 쓰기로 | 쓰는| 쓰자 | 쓰죠 | 쓸게 "
            "| 쓸게요 | 씁시다 | 일단 | 전환| 정하자 | 정했습니다 | 정했어 | 정했어요 | 줄이자 | 통일 "
            "| 통일하자 | 하기로 | 하는| 하자 | 하죠 | 할게 | 할게요 | 합시다 | 해두죠 | 해둡시다 "
            "| 확정| 확정 | 확정할게요 |로|로 |으로|으로 |자 "
        ),
        "suffices": (
            " 돼 | 돼요 | 됨 | 됩니다 | 충분 | 충분하다 | 충분할 | 충분해 | 충분해요 |나아 |나아요 "
            "|낫겠네 |낫겠네요 |낫겠다 |낫겠어 |낫겠어요 |낫네 |낫습니다 |로 |맞겠네요 |맞겠다 |으로 "
            "|좋겠네 |좋겠네요 |좋겠다 |좋겠습니다 |좋겠어 |좋겠어요 |좋네 |좋아 "
        ),
        "also": "도 ",
        "only": "만 ",
        "lift": (
            "건드려도|고쳐도|괜찮습니다 |괜찮아 |돼 |돼요 |된다 |됨 |됩니다 |바꿔도|수정해도|써도"
            "|좋습니다 |좋아 |추가해도"
        ),
        "defer": (
            " 검토| 고려| 고민| 논의| 다른| 따로| 별도| 보죠 | 상의| 생각| 얘기| 진행하자 | 하자 "
            "| 하죠 | 할게 | 할게요 | 합시다 | 해요 | 협의| 후속|결정|나중에 |다음 |다음에 |미루자 "
            "|미룹시다 |미뤄 |백로그|보류 |보류하자 |정하|정할"
        ),
        "put_off_last": (
            " 그건 | 논의| 상의| 얘기| 협의|나중|나중에|나중에 |다른|다음 |다음번에|다음에|다음에 "
            "|백로그에|별도|보류|에|후속"
        ),
        "fact": (
            "가능한가|계신|기억|나오나|나요|되나요|됩니까|발생하|보이나|보이시|셨나|습니까|아시나|어떤 "
            "|언제부터|은가요|인가요|인지|있나|재현|하셨|한가요|했습니까"
        ),
        "remark": (
            " ㅋ| ㅎ| 감사| 고마워| 고맙| 대박| 뭐| 수고| 신기하| 앗| 어라| 오| 와| 음| 잠깐| 좋네| 헉"
            "| 헐| 흠|그랬구나|그렇구나|수고|했구나"
        ),
        "grants": (
            " 그대로| 유지| 이대로|괜찮네|괜찮네 |괜찮네요 |괜찮습니다 |괜찮아 |괜찮아요 |당연하죠 "
            "|당연하지 |당연히 |맞습니다 |맞아|맞음 |맞죠 |맞지 |문제|물론 |상관없어|없습니다 |없음 "
            "|좋겠네|좋네|좋네 |좋네요 |좋습니다 |좋아 |좋아요 "
        ),
        "declines": "관두자|그만두자|까지|됐고|됐어|말자|별로|스킵|안|접자|패스|하지|할래|합니다|해요",
        "bids": (
            "걸로 |것으로 |고 |기로 |놔 |돼 |됩니다 |둬 |세요 |시다 |야|야지 |요 |자 |죠 |주세요 |줘 "
            "|줘라 |줘요 |지요 |충분|하고 |하라 |해 "
        ),
        "direct": (
            " 낫겠| 대신 | 말고 | 맞겠| 좋겠| 충분하| 충분할| 충분합| 충분해|가자 |갈게|갑시다 |거로"
            "|걸로|것으로|고정 |그냥 |까지만|남겨 |내려 |놔 |늘려 |다시 |도 |도로 |두죠 |둡시다 |둬 |로"
            "|만 |맞춰 |바꿀게|바꿔 |보내 |부탁|부터|써 |야겠|에만|에서|에서만|여야|여야 |올려 |으로"
            "|이어야|이어야 |죠 |주세요 |줄여 |줘 |줘요 |처리해 |통일 |하고 |하자 |하죠 |할게|합니다 "
            "|합시다 |해 |해두고 |해요 "
        ),
        "chore": ("검토|다시 |돌려|보여|봐줘|설명|실행|알려|읽어|정리해|준비해|찾아|커밋|테스트 |테스트해|푸시|확인해"),
        "reason": (
            "거든|거든요|나니|는데|니까|니깐|더라|더라고요|던데|때문|때문에|라서|면서|민원 |아서|어서"
            "|여서|은데|인데|지만|해서"
        ),
        "finite": "됩니다|없어|없음|이야|임|입니다|있어|있음",
        "for_now": "나중|다음|당장|아직|이번에|일단|지금|지금은",
        "contrast": "대신|됐고|말고",
        "changes": "늘려|다시 |도로|되돌|바꾸|바꿀|바꿔|변경|아무래도|역시|줄여|해보니",
        "switches": "갈아타|바꾸|바꿀|바꿔|변경|옮겨|옮기",
        "beside": "같이|도 |추가로|함께",
        "withdraw_last": " 그| 아니다 | 잠깐 |방금|아까|앞에|위에|이전",
        "withdraw": " 말고 |걸로 |무시하자 |무시해 |버리고 |빼고 |일로 |철회 |취소 |치우고 |하기로 ",
        "forget": "무시하고|무시하자|무시해|없던|잊어|철회",
        "call_off": "되돌려|빼자|빼줘|취소|하기로",
        "own_words": "그 |내가|방금|아까|아니다|앞에|위에|이전|잠깐|제가",
        "trouble": "경고|깨|깨져|실패|에러|오류",
        "joined": "과 |랑 |및 |와 |이랑 |하고 ",
        "correct": "아냐|아니|아니다|잠깐|잠깐만|정정",
        "slip": "아냐|아니|아니다|잠깐|잠깐만|정정",
        "object": "너무 |늘려|늘리자|되겠|많은|못 |좀 |줄여|줄이자",
        "reversal": (
            " 바꿔| 변경|갈아타|늘리자|다시 |대신|돌아가|됐고|되돌|마음이 |말고|바꾸자|생각이 |생각해"
            "|아니다|역시|옮기자|이제는|줄이자|취소"
        ),
        "goes_back": "돌려놓|돌아가|되돌려|되돌리",
        "turns_back": (
            " 교체| 바꾸| 바꿔| 변경| 전환|갈아타자 |걸로 |다시 |돌리자 |돌아가자 |돌아가죠 "
            "|돌아갑시다 |되돌려|되돌리자|옮기자 |옮기죠 |옮깁시다 |원래대로|이전하자 "
        ),
        "restate": "기억하지|말랬|말했|아직 |여전히|처음에|했잖",
        "order": "걸어|넣어|넣자|바꿔|써|주세요|줘|하자|해",
        "propose": (
            " 같습니다| 됩니다| 있습니다| 있어요|ㄹ까요|겠습니다|겠어요|괜찮으실까요|권장합니다"
            "|권합니다|까요|낫습니다|됩니다|둘게요|무난합니다|볼게요|안전합니다|어떠세요|어떠신가요"
            "|어떨까요|예정입니다|제안드립니다|제안합니다|좋겠습니다|추천합니다|하겠습니다|할게요"
            "|할까요|현실적입니다"
        ),
        "offer": " 같습니다| 듯합니다| 있습니다|어떨까요|제안합니다|좋겠습니다",
        "step": (
            "검토|다시|돌려|돌리겠습니다|린트|마무리|보겠|볼게|볼까|빌드|살펴|스크립트|실행|여쭤|올릴"
            "|이어서 |읽어|재보|재볼|전체|진행할|찾아|추가합니다|커밋|테스트|테스트해|확인"
        ),
        "claims_user": "것처럼|대로|바와 |원하신 |하기로 ",
        "weak_yes": "ok|ㅇ|ㅇㅇ|ㅇㅋ|굿|그래|네|넵|어|예|오케이|응|좋네|좋습니다|좋아",
        "unknown": "누가|될지|몇|무엇|뭐|어디|어떻|언제|인지|할지",
        "time": "그거|그건|내가|내일|다음|모레|오늘|이따|제가",
        "suggest": "까요|방식|안전|어떨까|제안|좋겠|좋을 |추천",
        "ack": "네|넵|맞습니다|알겠습니다|죄송합니다|확인했습니다",
        "pronoun": " 그| 그거| 그건| 그것| 그게| 이거| 이건",
        "smalltalk": " 궁금| 도와| 필요|다른 |도와드릴|무엇을 ",
        "rule": "넣지|말자 |씀 ",
        "either_or": "거나 |또는|방법도|아니면|이나 |중 |할까요|혹은",
        "which": "까요|누가|또는|몇|무엇|뭐|뭘|아니면|어느|어디|어떤|어떻게|언제|혹은",
        "thanks": "ㄱㅅ|ㄳ|감사|감사합니다|감사해요|고마워|고맙습니다|땡큐",
        "request": "돌려볼|라고 |맞아 |봐줄|어디서|언제 |주시겠|주실래|줄래|할 |해볼래|해줄 |해줄래|했다고 ",
        "no_answer": " 수 |모르겠|모름|불분명|애매|확실하지|확인할 ",
        "keeps_open": "미결|미정|아직 |열린 |정해지지 |질문",
        "commit": (
            " 문의할게| 문의해야| 물어볼게| 물어봐야| 요청할게| 전달할게| 확인할게| 확인해야|끝나면 "
            "|나는 |나오면 |난 |내가 |다음 |되면 |받으면 |오면 |제가 "
        ),
        "remaining": "남",
        "done": (
            "끝났|답 |답변 |돌려봤|돌렸|머지됨|물어봤|받았|수정해서|올렸|올림|완료|왔음|처리함|통과|했어|했음|확인했"
        ),
        "claim_ran": "깨끗합니다|마쳤습니다|문제없|완료했습니다|통과합니다|통과했습니다|확인했습니다",
        "admit": " 돌렸| 돌렸습니다| 실행했습니다|검증하지|돌리지|사실이 |실행하지|잘못 |테스트하지|확인하지",
    },
    "ja": {
        "lead_in": "ok|あ|あと|ええと|えっと|じゃ|それから|それと|ちなみに|で|では|とりあえず|なので|まあ",
        "musing": (
            "うーん|かな|かなぁ|かなあ|かも|たぶん|だろう|でしょう|どうしよ|ひょっと|ほうがいいの"
            "|もしかし|ような気|わからない|わかんない|んー|分からない|危ないか|多分|思うけど|悩"
            "|方がいいの|気がする|気もする|迷"
        ),
        "sarcasm": " 笑 |ご立派|さぞ|はいはい|わけだ|結構なこと",
        "hearsay": (
            "そうです|だそう|って書いて|って聞いた|って言ってた|って言われた|とのこと|と書いて"
            "|と言い出した|と言ってた|と言われた|によると|らしい|んだって|以前は|昔は"
        ),
        "agree_stated": "ok|いい|お願い|それで合ってる|合ってる|大丈夫",
        "refuse": (
            "いいえ|いえ|いや|いらない|いりません|しないで|しなくていい|しなくて大丈夫|だめ|だめです"
            "|どちらも|なし|なしで|やめて|やめておく|やめておこう|やめときましょう|やめとく|やめよう"
            "|やらない|やりすぎ|ダメ|不要|不要で|入れない|入れないで|大げさ|必要ありません|必要ない"
            "|結構です|要らない|見送りで|過剰|遠慮しておきます"
        ),
        "deny": "お願いして|そんな|合意して|同意して|指示して|決めた|決めて|言った|言って|頼んだ|頼んで",
        "yes_no": "ng|ok|いらない|お願い|だめ|なし|はい|やって|ダメ|不要|入れて",
        "forbid": (
            "ng|いじる|じゃ|ちゃ|ては|ない|使う|入れる|削除する|厳禁|増やす|変える|変更する|控えて|消す"
            "|禁止|編集する|触る|足す|追加する|避けたい|避けて|避けること"
        ),
        "statement": "から |があります |がある |ため |だから |ので ",
        "rules_heading": " ルール| 制約| 守ること| 条件| 要件",
        "must": (
            "こと |して |してください |で実装して|で書いて|ないで|まま |サポート|互換|使って|保つ "
            "|変えて|対応|必要 |維持 |編集して|触って"
        ),
        "negative": (
            "いらない|いりません|しない|なし|なしで|やめ|やめて|やめよう|やめる|やらない|不要"
            "|使いません|使わない|入れない|入れません|変えない|書かない|要らない|追加しない"
        ),
        "leave": " そのまま|そのまま|まま",
        "choose": (
            " 決定 | 結論 |いきましょう|いきます|いくことにする|いこう|う |ことに|させてください|して"
            "|しましょう|しよう|で |でいい|でいきます |でいく |にして |にします |にする |のまま"
            "|ましょう |まとめよう |よう |を使いましょう |を使おう |上げて|下げて|乗り換えよう "
            "|使うことに|使おう |入れよう |出そう |分けよう |切り替え|切ろう |合わせて|合わせよう "
            "|固定して|変えよう |変更|外そう |差し替え|戻して|戻そう |抑えて|採用|揃えよう |残そう "
            "|決まり|決めた|決定|消そう |確定|移しましょう |移そう |移行します |移行しよう |移行する "
            "|統一|置こう |行きます|行くことにする|設定して|送ろう "
        ),
        "suffices": (
            "いい|いいかな|お願い |お願いします |して |してください |して下さい |ほうが|よい|よさそう"
            "|十分|方が|良い|良さそう|足ります|足りる"
        ),
        "chosen_for": "は",
        "also": "も",
        "only": "だけ|のみ",
        "lift": "ok|いい|かまわない|使って|変えて|大丈夫|構わない|編集して|触って|追加して",
        "defer": (
            " 今回は| 検討中 |pr|あとで|しない |しよう |じゃなくて|する |ではなく|にします |にする "
            "|のまま|また今度|やらない |やります |やる |やろう |イシュー|チケット|保留|先送り|入れない "
            "|回す |回そう |対応しよう |対応する |後で|後回し|来週|次回|決めます |決める |考えます "
            "|考える |見送り|見送り |見送る|見送る |課題"
        ),
        "put_off_last": (
            " あとで | また今度 | 今はいい | 今はやめておく | 今度 | 後で |pr|あとで|ない |また今度"
            "|スプリント|チケット|バックログ|バージョン|リリース|今度|保留|先送り|後で|後回し|明日|来月"
            "|来週|次回|聞いてみないと|見送り"
        ),
        "fact": (
            "ありますか|いつから|ご存じ|ていますか|でしたか|ましたか|ますか|エラーは|バージョンは何"
            "|何が|再現|出ますか|見えますか|覚えて"
        ),
        "remark": (
            " ありがと| あれ| いいね| え| おお| おっ| お疲れ| すごい| なるほど| ふむ| へえ| 了解| 助か"
            "| 安心| 承知|なるほど|のか |んだな |んだね |んですね |気にしない|聞き流"
        ),
        "grants": (
            "ok|いいです|いいですね|いいと思います|いいと思う|いいね|かまわない|そうだね|そうですね"
            "|それで|それでいい|で大丈夫|もちろん|よさそう|問題|妥当|当然|構いません|構わない|良さそう"
            "|賛成"
        ),
        "declines": (
            "いらない|いりません|しなくて|やめておきます|やめておく|やめとく|やりすぎ|不要"
            "|必要ありません|必要ない|結構|要らない|見送り|見送ります|見送る|過剰"
        ),
        "bids": ("う|します|する|たい|て|ておいて|てください|て下さい|でください|といて|ましょう|よう|十分|方で"),
        "direct": (
            "いく |いこう |ことになりました |ごとに|したい |します |じゃなく|じゃなくて|する |たい "
            "|たいです |たら|だけ|った |ってる |で|で |ではなく|ときは|として|に|へ|まとめる |も"
            "|りました |任せたい |任せます |任せる |場合は|変えます |変える |寄せる |対象外で |時は"
            "|統一する |置きます |置く |行く |行こう "
        ),
        "chore": (
            "コミットして|テストして|プッシュして|出力して|実行して|待って|忘れて|教えて|書いてみて"
            "|気にしないで|流して|無視して|確認して|聞き流して|見せて|見て|試して|説明して|読んで"
            "|調べて|走らせて"
        ),
        "reason": ("から |けど |けれど |し |ため |ですが |なくて |ので |のに |ますが |もんで |んで |んですよね "),
        "finite": "あります |ある |た |である |でした |ない |ません ",
        "for_now": "いったん|とりあえず|まだ|一旦|今は|今回|当面",
        "contrast": "じゃなく|じゃなくて|ではなく|代わりに",
        "changes": "やっぱり|やはり|切り替え|変え|変更|延ばし|戻し|戻す|見直",
        "switches": "乗り換え|切り替え|変え|変更|移し|移そ|移行",
        "beside": "一緒に|併せて|加えて|合わせて|追加で",
        "withdraw_last": " それ| 今の|なし|なしで|取り消し|取り消す|忘れて|撤回|無視して",
        "withdraw": (
            "じゃなくて|ではなく|なかったことに|の代わりに|はやめ|はやめて|はやめよう|やめ|やめよう"
            "|をやめて|キャンセル|取り消し|取り消して|古い|古いから|外して|外そう|忘れて|捨てて"
            "|捨てよう|撤回|無視して"
        ),
        "forget": "なかったことに|取り下げ|忘れて|撤回|無視して|聞かなかったことに",
        "call_off": "なし|やめ|キャンセル|取り消し|取り消して|戻して",
        "own_words": "いまの|さっき|今の|先ほど|前の|言った",
        "trouble": "エラー|壊れ|失敗|落ち|警告",
        "correct": "あ|いや|ごめん|ちょっと待って|やっぱ|待って|訂正|違う",
        "slip": "いや|ごめん|ちがう|待って|訂正|違う",
        "object": "だめ|ダメ|多い|多すぎ|大きい|大きすぎ|小さい|小さすぎ|少ない|短い|遅い|重い|長い|駄目",
        "reversal": (
            "いや|ことになった|じゃなくて|ではなく|なので入れる|に変更|やっぱ|乗り換え|代わりに|取り消"
            "|変えよう|戻そう|撤回|気が変わ|移そう|考え直"
        ),
        "goes_back": "に戻",
        "turns_back": (
            "に戻して|に戻そう|やっぱ|乗り換えよう |切り替え|変えて|変更|差し替え|移しましょう |移そう "
            "|移行します |移行しよう |移行する "
        ),
        "restate": "さっき言った|前にも言|変わらず|引き続き|最初に言った|言ったはず|言ったよね",
        "order": "ください|して|て|てください|ほしい|入れて|変えて|直して|見て|足して",
        "propose": (
            "おすすめです|かと思います|しておきます|しましょうか|します|しますか|すればよい|です"
            "|どうでしょう|ましょうか|ますか|予定です|入れますか|変えます|安全です|形にします|思います"
            "|手があります|手です|手もあります|提案します|方法があります|方法もあります|案があります"
            "|減ります|短く済みます|考えています|良さそうです|順ですね"
        ),
        "offer": "おすすめです|できます|どうでしょう|提案します|良さそうです",
        "step": "します|ましょう|ます|ますか|みます",
        "claims_user": "とおり|どおり|通り",
        "weak_yes": (
            "ok|いいです|いいね|いいよ|うん|ええ|おk|そうだね|そうですね|はい|よし|りょ|オッケー|オーケー|了解"
        ),
        "unknown": "いつ|どう|どこ|どの|どれ|何|誰",
        "time": "あとで|今夜|今週|後で|明日|来週|自分",
        "suggest": "おすすめ|どうでしょう|ましょうか|安全です|必要|思います|手です|提案|考えて",
        "ack": "すみません|そうでした|はい|わかりました|了解|失礼|承知",
        "pronoun": " あれ| これ| その| それ",
        "smalltalk": "お手伝い|他に|何か",
        "rule": "使いません |使わない |入れない |入れません |変えない |追加しない ",
        "either_or": (
            "あるいは|いずれか|か |それとも|だと思います|どちら|ますか|または|もしくは|方法があり|案か|案があり|案と"
        ),
        "which": "あるいは|いつ|か |それとも|どう|どこ|どちら|どの|どれ|または|もしくは|何|誰",
        "thanks": "ありがとう|どうも|サンクス|助かります",
        "request": (
            "お願いできる|くれますか|してくれる|してもらえる|もらえますか|やった|ログない|動かした"
            "|実行した|見せて|言った|頼んだ"
        ),
        "no_answer": (
            "どうしますか|ないでしょうか|わからない|わかりません|わかんない|不明|分かりません"
            "|確認できません|聞いてみないと"
        ),
        "keeps_open": "tbd|まだ決め|デザイン待ち|回答待ち|未定|未決|決まっていない|決まってない|確認待ち|返事待ち",
        "commit": (
            "こちらで|こっちで|してから|にする |やります |やる |実行する |書く |流す |直す "
            "|確認しておく |確認します |確認する |聞いておく |聞いてみる |聞きます |聞く |自分で|見る "
            "|試す "
        ),
        "remaining": "だけ|です|のみ",
        "done": (
            "やった|マージした|出た|完了|来た|流してきた|済み|済んだ|直した|確認した|終わった|聞いた"
            "|聞いてきた|言われた|通った"
        ),
        "claim_ran": "でした|です|ました|ゼロ|実行済み|検証済み|済み|確認済み",
        "admit": "なかった|ません|ませんでした|未実行|訂正します",
    },
}

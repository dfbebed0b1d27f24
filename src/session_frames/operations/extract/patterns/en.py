"""English."""

from __future__ import annotations

from typing import Final

_CHANGE: Final = (
    r"(?:touch|change|edit|modify|add|use|remove|delete|rename|move|break|commit|push|introduce|install|upgrade|bump"
    r"|rewrite|refactor|reformat|alter|expose|log|store|send|import|depend|merge|deploy|overwrite|pull in|bring in)"
)
_YES: Final = r"(?:yes|yep|yeah|yup|sure|ok|okay|fine|right|good|great|perfect|agreed|absolutely)"

PATTERNS: Final[dict[str, tuple[str, ...]]] = {
    "lead_in": (r"(?:(?:and|so|but|then|ok|okay|also|well|plus|please|pls|alright|right|hey|oh)\b[ ,]*)+",),
    "break": (
        r"\s+(?:and|but|so)\s+(?=(?:please )?(?:don't|do not|never|must|leave|keep|use|no|drop|forget|ignore|make it"
        r"|I'll"
        r"|we|let's|it must|you can)\b)",
    ),
    "asks": (r"\?\s*$",),
    "musing": (
        r"\b(?:maybe|perhaps|hm+|not sure|might|wonder|wondering|what if|i guess|probably|possibly|could be|unsure"
        r"|thinking about|let me think|i think we (?:could|might)|not decided|undecided|in theory|ideally|some ?day"
        r"|at some point|tempted|hopefully|if we (?:ever|were)|would be (?:nice|cool|great)|i'd like to know)\b",
        r"\bshould we\b|\blet's see\.?$",
    ),
    "sarcasm": (
        r"(?:^|\s)/s$|\byeah,? right\b|\bas if\b|\bwhat could (?:possibly )?go wrong\b|\bvery funny\b|\bha ?ha\b"
        r"|\boh,? (?:great|sure|wonderful|brilliant|lovely|fantastic|perfect),? (?:another|more|just|let's|and)\b",
        r"^(?:sure|great|right|yeah|wonderful|brilliant),? (?:and )?(?:let's|we'll|why not|then) (?:also |just "
        r"|all )?(?:ask"
        r"|tell|make|have|let|rewrite) (?:all |our |the |every ?)?(?:customers?|users?|people|everyone|everything"
        r"|everybody|clients?|the world)\b",
    ),
    "hearsay": (
        r"\b(?!(?:i|we|you|just|also|already|have|has|had|ve|d|not|never|as|what|that)\b)[\w-]+ (?:just |also )?"
        r"(?:said|says|wrote|writes|told|claims|claimed|thinks|suggested|suggests|wants|prefers|decided"
        r"|recommends)\b",
        r"\baccording to\b|\bused to\b|\bback then\b|\blast (?:year|month|quarter)\b",
    ),
    "approve": (
        rf"(?:{_YES}[ ,]*)?(?:do it|do that|do so|do that instead|go|go ahead|go for it|let's go|let's do it"
        rf"|let's do that|sounds good"
        r"|sounds right|works for me|looks good|lgtm|that works|make it so|please do|yes please|i agree|ship it"
        r"|approved"
        r"|that's fine|good idea|go with that|go ahead with (?:that|it)|let's go with that|let's go with it|i like it"
        r"|i like that|love it|go on then|be my guest|please go ahead|fine by me|fine with me|ok for me|i'm fine with"
        r" (?:that|it)|that's the way|now we're talking|yes to (?:both|all)|both please|all of (?:it|them)|deal"
        r"|exactly"
        r"|definitely|of course|by all means|let's try (?:it|that)|give it a try|that would be (?:great|good"
        r"|perfect))"
        r"(?: please| then)?",
        r"do|please do(?: that| it| so)?",
        rf"{_YES}(?: (?:please|then|sure|thanks|thank you))?",
        r"\+1|👍|^y$",
    ),
    "agree_stated": (
        rf"(?:{_YES}[ ,]*)?that's (?:what i want|exactly what i want|right|correct|what we want|how it should be)",
        rf"{_YES} (?P<what>\w+) is (?:right|correct|good|fine|what we want)",
    ),
    "refuse": (
        r"(?:skip|leave|drop|forget) (?:it|that)(?: out)? then",
        r"(?:no|nope|nah|no way|no thanks|no thank you|not needed|not necessary|no need|rather not|i'd rather not"
        r"|please don't|don't|don't do (?:that|it|this)|please don't do (?:that|it|this)|no don't|let's not"
        r"|we don't need (?:that|it)|not that|what no|skip (?:it|that)|leave (?:it|that) out|pass|hard pass"
        r"|hard no|hell no"
        r"|absolutely not|definitely not|of course not|(?:that's |it's )?(?:overkill|out of scope|not worth it)"
        r"|don't bother|no don't bother|not a fan|i don't (?:like|want) (?:it|that)|leave it(?: as it is| alone)?"
        r"|please leave it|keep it (?:as it is|the way it is)|neither|none of (?:these|those|them))",
    ),
    "deny": (
        r"\b(?:i|we) (?:never|didn't|did not|haven't) (?:discuss|discussed|talk|said|say|ask|asked|agree|agreed"
        r"|decide|decided|want|wanted|approve"
        r"|approved|request|requested|mention|mentioned)\b",
        r"\bnobody (?:asked|agreed|said|decided)\b|\bno one (?:asked|agreed|said|decided)\b",
    ),
    "pick": (
        rf"(?:{_YES}[ ,]*)?(?:i'd (?:take|go with|say)|i'll take|let's (?:do|use|take|go with|go for)|go with|go for"
        rf"|use"
        r"|take|do|pick|choose)?\s?(?:option |variant |number |no\. ?|#|the )?{label}(?: (?:one|option|way"
        r"|variant))?(?: sounds (?:right|good)| please"
        r"| it is| then| is (?:good|fine|better|best))?",
    ),
    "word_pick": (
        r"(?:(?:the|an?|just|only|with|in|on|via|by|to|into|as) )?(?P<what>[\w.`=/-]+(?: (?!please\b|then\b"
        r"|is\b)[\w.`=/-]+)?)(?: please| then| is fine"
        r"| is better)?",
    ),
    "yes_no": (r"(?:the )?(?P<what>[\w.-]+(?: [\w.-]+)?)[ :]+(?:yes|(?P<no>no))",),
    "forbid": (
        r"^\S+(?: \S+){0,4} (?:is|are) (?:a (?:hard |clear )?no|out of the question|not an option|unacceptable)\b.*",
        r"^(?:and )?(?:we |you |it )?(?:must not|mustn't|may never|must never) (?:ever )?\w+ .+",
        rf"^let's not {_CHANGE} .+",
        rf"^(?:you|we) (?:can't|cannot|are not allowed to|aren't allowed to) {_CHANGE} .+",
        r"^nothing (?:may|must|should|shall|can|gets) (?:be )?\w+.*",
        r"^no \w+ (?:may|must|should|shall) .+",
        r"^avoid (?!it\b|that\b|this\b).+",
        r"^\S+(?: \S+){0,3} (?:is|are) (?:not allowed|forbidden|frozen|taboo|a no-go)\b.*",
        rf"^(?:we |you )?(?:please )?(?:don't|do not|dont|never|must not|mustn't|may not|should not|shouldn't)"
        rf" (?:ever )?{_CHANGE}\b(?! (?:it|that|this)$)(?!.* (?:yet|now|anymore)$(?<!for now)).*",
        r"^(?!.*\b(?:can|could|lets?|allows?|so that)\b).*\bwithout (?:adding|touching|changing|breaking|using"
        r"|editing|modifying|renaming|removing) .+",
        r"^\S+(?: \S+){0,3} (?:is|are) off[- ]limits\b.*",
        r"^no (?:new|more|extra|additional|other|external|third[- ]party|breaking) .+",
        r"^hands off .+",
    ),
    "statement": (
        r"^(?:ever|period|full stop|thanks|please|always|end of story)$",
        r"\b(?:is|are|was|were|has|have|had|got|will|because)\b",
    ),
    "rules_heading": (
        r"^(?:(?:ground |hard )?rules?|constraints?|requirements?|must[- ]haves?|hard limits?"
        r"|conditions?):"
        r"|^(?:whatever you do|whatever happens|above all|important|mind you)[:,]",
    ),
    "must": (
        r"^(?!i\b|you\b|some)(?:[\w./-]+ ){0,5}?(?:must|has to|have to|needs? to)"
        r" (?:always |still |also )?(?:keep|stay|work|run|remain|support|return|be|compile|build|pass|fit|finish"
        r"|accept)\b"
        r"(?! (?:a|an|the|some\w*|because|why|that|caused|coming|due|related|wrong|broken)\b).*",
        r"^(?:stay|remain|keep (?:it|everything)) (?:backwards? )?(?:compatible|stateless|offline|synchronous"
        r"|deterministic)\b.*",
        r"^only (?:use |touch |change |edit )?(?!if|when|because|after|over|then|for|one|way|thing|just|question"
        r"|problem"
        r"|lines?\b)[\w./-]+(?: [\w./-]+){0,4}$",
        r"^(?:constraint|requirement|rule)s?: .+",
        r"^(?:never|not) (?:\w+ ){0,3}more than \S+ .+|^at most \S+ .+",
        r"^(?!read|write|view)[\w-]+ only$",
    ),
    "negative": (
        r"^no (?!.*\b(?:is|are|was|were|has|have|will|can|does|should|matters?)\b)(?P<what>(?!one|idea|need|problem"
        r"|worries|longer|matter|way|clue|rush|thanks|doubt)[\w-].+)",
    ),
    "leave": (
        r"^keep (?P<what3>.+?) (?:as (?:it is|is|they are)|unchanged|intact)\b.*",
        r"^leave (?:the |that |those )?(?!it\b|that\b|this\b|me\b|us\b"
        r"|room\b)[\w.-]+$",
        r"^leave (?P<what>.+?) (?:as (?:it )?is|alone|untouched|as they are|where it is"
        r"|in place)\b.*",
    ),
    "choose": (
        r"^(?:the |all )?\w[\w .-]{1,30} (?:stays?|remains?) (?!(?:a|the|to|so|open|unclear)\b)\w+$",
        r"^(?:let's|we'll|we will|we're going to) (?:just |simply |rather )?(?:use|keep|go with|go for"
        r"|stick with|stick to"
        r"|stay with|make it|switch to|do without|move|store|host|cap|limit|pin|default to|settle on|base|call) "
        r"(?!that$|it$|this$|on$).+",
        r"^i(?:'d| would)? (?:prefer|choose|opt for|go for|go with|rather have) (?!that$|it$|this$).+",
        r"^(?!what\b|how\b|that\b|this\b|so\b)\S+(?: \S+){0,5} it is(?: then)?$",
        r"^(?:ok )?back to (?!that$|it$|this$|work$|you$|the (?:topic|question|point)).+",
        r"^(?:change of plans?|new plan|final answer|verdict|settled): .+",
        r"^(?:(?:actually|then|so|just|please) )?"
        r"(?!use (?:(?:this|that|your|it|sub-?agents?|tools?|skills?|plan mode|mcp|bash|grep)\b|.+ to \w+))(?:use"
        r"|keep|go with|stick with|stick to|stay with|switch to|set it to|raise it to"
        r"|lower it to|cut it to|prefer) (?!that$|it$|this$|going|in mind|me|an eye|looking|trying|working|track"
        r"|us ).+",
        r"^make (?:it|that) (?:a |an |the )?\S*\d.*",
        r"^set (?:the )?\w[\w-]*(?: [\w-]+){0,3} to \S*\d.*",
        r"^(?:for|as|in|on) (?:the |our |a )?\S+(?: \S+){0,4} (?:use|take|let's use|let's take|go with|i'd use"
        r"|we'll use) .+",
        r"^(?:we|i)(?:'ve| have)? (?:decided|agreed|settled|chose|picked)(?: (?:to|on|that|for))? .+",
        r"^(?:we(?:'re| are)) going with .+",
        r"^(?:change|switch|move) .+ to .+|^replace .+ (?:with|by) .+",
        r"^(?:decision|decided): .+",
        r"\bwant .+ after all$",
        r"^\w+ for now$",
        r"^(?:the )?\w[\w .-]{1,30} (?:stays?|remains?) (?:at|on|with|in|out|off|as|optional|required|mandatory"
        r"|enabled"
        r"|disabled|private|public|internal|global|local|read-only|where)\b.*",
        r"^(?!not\b|no\b)[\w.-]+(?: [\w.-]+){0,2} after all$",
        r"^(?:go|switch|change|move) back to .+",
    ),
    "suffices": (
        r"^(?:an? |the |just )?\S+(?: \S+){0,6} does it$",
        r"^(?:an? |the |just )?\S+(?: \S+){0,7} (?:is|are) (?:enough|plenty|sufficient|all (?:we|i) need)$",
        r"^(?:an? |the |just )?\S+(?: \S+){0,5} (?:will do|should do|does the job)$",
        r"^(?:an? |the )?\S+(?: \S+){0,3} (?:is|sounds|seems|looks) better$",
    ),
    "chosen_for": (
        r"^(?:for|as) (?:the |our |a )?(?P<what2>\S+(?: \S+){0,4}?),? (?:use|take|let's|go with|i'd use"
        r"|we'll use) .+",
        r"\b(?:for|as) (?:the |our |a )?(?P<what>(?!now\b).+)$",
    ),
    "ordinals": ("first|former", "second|latter|last", "third", "fourth", "fifth"),
    "also": (r"\b(?:too|as well|also)\b",),
    "only": (r"\bonly\b",),
    "lift": (
        r"\b(?:is|are) (?:fine|ok|okay|allowed|free)(?: to \w+)?(?: too| now| then| again| as well)*$",
        r"^(?:the )?\S+(?: \S+){0,3} can go(?: now)?$",
        rf"\byou (?:can|may) (?:now )?{_CHANGE} .+",
        rf"\b(?:it's|it is) (?:ok|okay|fine|safe) to {_CHANGE} .+",
    ),
    "defer": (
        r"^(?:let's |we'll |we can )?(?:leave|do|revisit|discuss|decide|handle|tackle|keep|save|move)(?: .+)?"
        r" (?:later|another time|next (?:week|sprint|month|quarter|release)|until later|afterwards)$",
        r"^(?:let's )?(?:postpone|defer|park|table|shelve|hold off on) (?!it$|that$|this$).+",
        r"^.+ (?:can|has to|will have to) wait$",
        r"^(?:let's |we'll |we can )?(?:do|handle|tackle|address|leave|move|keep|push|revisit|fix"
        r"|look at) .+ (?:in|to|until"
        r"|for) (?:january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]"
        r"|v\d\S*"
        r"|version \S+|spring|summer|autumn|fall|winter|the (?:next|following) \w+|next \w+|another (?:pr|time|day"
        r"|ticket)|a (?:separate|follow-?up|later|different) (?:pr|ticket|issue|release|commit)|later)$",
        r"^(?:put|move) .+ (?:on|to|in|into) the backlog$",
        r"^(?:skip|leave out) (?!it\b|that\b|this\b).+ for now$",
        r"^(?:that's |it's )?not (?:in |for |part of )?this (?:sprint|week|release|version|quarter|pr|round"
        r"|time|month)$",
        r"^let's see (?:how|what|if|whether) .+ first$",
        r"^(?!i )\S+(?: \S+){0,3} (?:later|not now)$",
    ),
    "put_off_last": (
        r"^(?:let\x27s |we )?(?:leave|keep) (?:that|it|this) open\b",
        r"\b(?:park (?:it|that|this)|ask me (?:again|later)|not now|don't do it now|i'll think about it"
        r"|let me sleep on it"
        r"|(?:do|decide|see|discuss) (?:it|that) later|later then|not yet|hold off|let's wait|skip (?:that|it"
        r"|this) for now|(?:in )?a (?:separate|follow-?up|later) (?:pr|ticket|issue)|not (?:in "
        r"|for )?this (?:sprint|week"
        r"|release|version|quarter|pr|round|month))\b",
        r"^(?:later|maybe later|another time)$",
        r"\b(?:do|handle|leave|move|keep|save|push) (?:that|it|this) (?:(?:for|in|to|until|into"
        r"|on) )?(?:the )?(?:later|next"
        r" \w+|backlog|another (?:pr|ticket|day|time))\b",
        r"\bput (?:that|it|this) (?:off|on the backlog|on hold)\b|\bhold off on (?:that|it|this)\b",
        r"^(?:that|it|this) (?:can|has to|will have to) wait$",
    ),
    "fact": (
        r"^(?:is|are|was|were) (?!.*\b(?:ok|okay|fine|enough|right|good|acceptable|better)\b)",
        r"^(?:can|could) (?!(?:i|we)\b)",
        r"^(?:does|do) (?!we (?:want|keep|delete|drop|need|remove|use|allow|support|ship|log|store)\b"
        r"|you (?:want|prefer|need)\b)",
        r"\b(?:did|was|were|had|have you|has (?:it|that|anyone|somebody|this)|do you (?:see|know|have|get"
        r"|remember|recall|mean"
        r"|happen)|is there|are there|does (?:it|that|this) (?:happen|occur|fail|crash|reproduce)"
        r"|what (?:happens|happened"
        r"|error|version|does|did|is the (?:error|output|version|url|value|path))|which (?:version|branch"
        r"|commit|machine|browser|os)"
        r" (?:are|is|do|did)|who (?:is|owns|wrote)|how (?:often|long) (?:does|did|has)|can you (?:see"
        r"|reproduce|send|share|paste"
        r"|show|give|tell|confirm))\b",
    ),
    "unsettled": (
        r"[\"“][^\"”]{16,}",
        r"\bonly if\b|\bdoes(?: not|n't) apply\b|\bcool\b.*\bsomeday\b",
        r"\b(?:if we (?:ever|were|had|get)|no idea|don't know|dunno|not sure|let me (?:think|check|ask|see)"
        r"|need to (?:check|ask"
        r"|think)|i'll (?:ask|check|think|write|find|look)|good question|one day|some ?day|would (?:be"
        r"|have been)|could be|might"
        r"|maybe|perhaps|depends|hm+)\b",
    ),
    "remark": (
        r"^(?:thanks|thank you|nice|great|cool|phew|lol|ugh|huh|wow|sorry|morning|hi|hello|perfect|awesome"
        r"|interesting|weird"
        r"|strange|odd|hold on|wait|that's (?:odd|weird|strange|nice|great|cool|interesting|bad|ugly"
        r"|annoying|it))\b[ !.]*$",
        r"^(?:where|what|why|who|when|how|which) (?:did|do|does|is|are|was|were|have|has)\b",
    ),
    "grants": (
        r"^(?:obviously|of course|certainly|naturally|absolutely|definitely|by all means|please|go for it|worth it"
        r"|good enough|fair enough|makes sense|that makes sense|why not|no objections?|fine|agreed|works"
        r"|good (?:call|plan|point)"
        r"|(?:that|this|it)(?:'s| is| would be|'d be| sounds| looks) (?:ok(?:ay)?|fine|good|great|cool"
        r"|perfect|better|right|enough"
        r"|plenty|sensible)(?: (?:with|for|by) me| enough)?|i'm (?:ok|okay|fine|good|happy) with (?:that|it|this)"
        r"|(?:that|this|it) works(?: for (?:me|us|now))?)$",
    ),
    "declines": (
        r"^(?:no|nope|nah|skip|leave|drop|forget) (?:it|that|them|this)(?: then| for now| out)?$"
        r"|^(?:not (?:until|before|needed|necessary|worth|interested|for us|our|required)|too (?:much|risky|expensive"
        r"|early|complicated)|we don't"
        r"|i don't|rather not|won't|overkill)\b.*",
    ),
    "bids": (
        r"^(?:pin|keep|drop|delete|remove|archive|overwrite|replace|merge|split|rename|move|include|exclude"
        r"|enable|disable|show|hide"
        r"|log|warn|fail|ignore|retry|cache|sort|round|embed|encrypt|compress|use|take|make|put|let's|we'll"
        r"|add|do|store|only|both"
        r"|always|never|once|every|all)\b.*",
    ),
    "direct": (
        r"^(?:post|send|page|write|store|put|save|show|hide|rotate|archive|return|log|render|format|sort"
        r"|group|limit|cap|retry"
        r"|round|turn|name|call|split|read|load|mask|compress|encrypt|skip|serve|cache|print|default"
        r"|fall back|fail|reject|accept"
        r"|allow|treat|report|escape|truncate|validate|count|warn|alert|notify|mount|bind|publish|tag|pin"
        r"|version|ignore|match|start"
        r"|stop|expire|expose|gate|mark|order|parse|batch|index|hash|sign|count|drop|raise|lower|cut|bump"
        r"|increase|reduce|shorten"
        r"|extend|rate[- ]limit) (?!(?:it|that|this|them|me|you)$)(?=.*\b(?:as|to|into|in|on|at|via|through"
        r"|by|with|per|every"
        r"|instead|not|only|from|when|after|once|until|over|under|above|below|all|both|each|any\w*|\d+\w*)\b)\S.+",
        r"^(?!the\b|that\b|this\b|it\b|i\b|.*\b(?:is|are|was|were)\b)\S+(?: \S+){0,3} (?:rather|instead"
        r"|only|too|as well)(?: actually| please| then)?$",
        r"^(?!yes\b|yep\b|no\b|ok\b|sure\b|thanks\b|do\b|check\b|run\b|stop\b|wait\b|go\b|help\b|look\b)"
        r"\w[\w./+-]*(?: (?!it\b|that\b|this\b)[\w./+-]+)? (?:please|then|for now)$",
        r"^(?:the )?\S+(?: \S+){0,3} (?:becomes?|goes? (?:up|down) to|is now|are now|should (?:be|go|stay"
        r"|live|use|return"
        r"|have|start|end|default|read|say)|goes (?:to|in|into|on|under|behind)|go (?:to|in|into|on|under"
        r"|behind)|belongs? (?:to|in)"
        r"|live in|lives in) .+",
        r"^we (?:already )?(?:go with|use|take|keep|stay on|stay with|stick to) (?!to\b|a problem|no\b"
        r"|an issue|the same)"
        r".+(?<!\bdo)(?<!\bnow)$",
        r"^(?:rather|better|preferably) (?!not\b).+",
        r"^make (?:that|it|this|them|the \S+) .+",
    ),
    "chore": (
        r"^(?:todo|next|later|tomorrow|on (?:mon|tues|wednes|thurs|fri)day)\b",
        r"\bon (?:mon|tues|wednes|thurs|fri)day$",
        r"^(?:run|re-?run|check|look|show me|tell|explain|read|open|commit|push|test|start|stop|write (?:a"
        r"|the|some|up) (?:test"
        r"|doc|note|readme|changelog)\w*|print me|send me|give me|put the kettle)\b",
    ),
    "reason": (
        r"^(?:because|since|cause|otherwise|or else|so that|in case|as long as|only if|if|when|unless"
        r"|though|although)\b",
    ),
    "finite": (r"\b(?:is|are|was|were|has|have|had|does|did|screams?|breaks?|costs?)\b",),
    "for_now": (r"\b(?:for now|right now|not until|not before|yet|this time|at the moment|later|this round|today)\b",),
    "contrast": (r"\binstead of\b|\brather than\b|\bnot just\b",),
    "changes": (
        r"\b(?:chang\w+|switch\w*|instead|after all|no longer|turns? out|becomes?|revers\w+"
        r"|on second thought|we go with|actually)\b",
    ),
    "switches": (r"\b(?:switch|chang\w+|move|go) (?:it |that |this )?(?:over )?to\b",),
    "beside": (r"\b(?:too|as well|also|in addition|besides)\b",),
    "withdraw_last": (
        r"\b(?:ignore|forget|scrap|disregard|undo|revert|scratch) (?:that|it|this|what i (?:just )?said|my last"
        r"(?: message)?|the last (?:one|message|thing))(?: please)?$",
        r"^never ?mind(?: that)?$",
        r"^(?:that was|i was) (?:wrong|a mistake|mistaken)$",
    ),
    "withdraw": (
        r"^(?:ignore|forget|drop|scrap|disregard|cancel|undo|revert|abandon|never mind|remove|stop using)"
        r" (?:about )?(?:the |my |that |your )?(?P<what>(?!that\b|it\b|this\b|to\b|what\b).+)",
        r"^(?:the )?(?P<what2>\S+(?: \S+){0,2}) (?:is|are) (?:off|out|dead|cancelled|canceled|gone)"
        r"(?: the table)?(?: too| now| then| as well)?$",
        r"^(?:we |i )?(?:have |'ve )?changed (?:our|my) minds? (?:on|about) (?:the )?(?P<what4>.+)",
        r"^(?:the )?(?P<what5>\S+(?: \S+){0,3}) (?:was|is) (?:a )?(?:bad idea|mistake|wrong choice|dead end)\b.*",
        r"\b(?:instead of|rather than|not) (?:the )?(?P<what6>[\w.-]+)$",
        r"^(?:we )?(?:no longer (?:need|want)|don't (?:need|want)) (?:the )?(?P<what3>.+?)(?: anymore| any more)?$",
    ),
    "forget": (
        r"\b(?:ignore|forget|disregard|never ?mind|scratch|scrap|strike) (?:about )?(?:what i (?:just )?said about )?"
        r"(?:the |my |that |your )?(?P<what>(?!that\b|it\b|this\b|to\b|what\b).+)",
    ),
    "call_off": (
        r"^(?:drop|cancel|undo|revert|abandon|call off|back out) (?:the |my |that |your )?"
        r"(?P<what>(?!that\b|it\b|this\b)(?!.*\b(?:tables?|columns?|index(?:es)?|databases?|rows?)$).+)",
    ),
    "own_words": (r"\b(?:i (?:just )?(?:said|asked|wrote|typed)|my (?:last|previous|earlier)|i was|that was)\b",),
    "trouble": (r"\b(?:warn\w*|errors?|fail\w*|flak\w+|deprecat\w*|notice[sd]?|diff|broken|complain\w*)\b",),
    "joined": (r"\b(?:and|plus)\b|\bas well as\b",),
    "correct": (
        r"^(?:no )?(?:actually )?(?:wait|hold on|oops|correction)(?: no| actually)?$",
        r"^(?:no|actually)$",
        r"^(?:i mean|rather|sorry)$",
    ),
    "slip": (
        r"(?:^|[,;.–—]\s*)(?:no|wait|sorry|actually|rather|i mean|correction)"
        r"(?:[ ,]+(?:no|wait|sorry|actually|rather|i mean))?[ ,:]*$",
    ),
    "object": (
        r"\b(?:too (?:much|many|big|high|large|long|small|low|few|slow)|won't (?:do|work)|doesn't work|is wrong"
        r"|not (?:enough|good enough|going to work))\b",
    ),
    "reversal": (
        r"\b(?:actually|instead|after all|wait|no longer|anymore|on second thought|changed (?:my|our) minds?|scrap"
        r"|switch to|bad idea|rather than|back to|change of plans?|in favou?r of|turns out|on reflection"
        r"|let's move)\b",
    ),
    "new_value": (
        r"(?:make (?:it|that) |rather |better )?\d[\d.,]*\s?\w{0,7}"
        r"(?: instead| then| please| is (?:plenty|enough|better))?",
    ),
    "goes_back": (r"\b(?:go|switch|change|move|revert) back to\b",),
    "turns_back": (
        r"^(?:change|switch|move) .+ to .+|^replace .+ (?:with|by) .+",
        r"\bafter all$",
        r"^actually\b",
        r"\b(?:go"
        r"|switch|change|move|revert) back to\b",
        r"\binstead$",
        r"^(?:let's |we'll )(?:just )?(?:move|switch|change|migrate) .+ to .+|^back to .+",
        r"^(?:let's )?(?:swap|drop|ditch|trade) .+ (?:for|in favou?r of) .+",
    ),
    "restate": (r"\b(?:remember|i said|as i said|like i said|i told you|still (?:holds|valid|applies|true))\b",),
    "order": (
        r"^\S+(?: \S+)? please$",
        r"^(?:run|generate|keep|do|go) .+",
        r"^(?:add|use|make|put|set|apply|change|move|rename|write|build|create|switch|turn|enable|disable|also|try"
        r"|remove"
        r"|implement|store|cache|retry|send|log|return) .+",
    ),
    "propose": (
        r"\bI(?:'d| would)(?: also| then| rather)? (?!not\b|have\b|need\b|guess\b|expect\b|like to know\b)\w+",
        r"\bI(?: can(?!'t|not)| could|'ll| will| propose| suggest| recommend|'m going to)\b(?! not| only| no | see"
        r"| confirm)",
        r"\b(?:shall|should|can|could) (?:I|we)\b.*\?",
        r"^(?:shall|should) .*\?",
        r"\b(?:do you|would you)(?: also)? (?:want|like|prefer)\b.*\?",
        r"\b(?:alternatives?|alternatively|smallest change|proposal|suggestion|recommendation|next would be)\b",
        r"; (?:\w+ ){1,4}(?:it|them|this|that)\?$",
        r"^(?:an?|the|one) \w[\w -]* would (?:do|work|help|avoid|fix|solve|be enough|be better|suffice)\b",
        r"^\w+ing .+ would (?:do|work|help|avoid|fix|solve|be enough|be better|suffice|make)\b",
        r"^(?:the (?:simplest|easiest|safest|cleanest|best|usual) (?:fix|way|option|thing|solution|choice)|one (?:way"
        r"|option)|my (?:choice|pick|recommendation)) (?:is|would be)\b",
        r"^(?:you|we) could .+",
    ),
    "offer": (r"\bI (?:could|can) also\b", r"\bI'd also (?:suggest|propose|like to)\b", r"\bwe could also\b"),
    "step": (
        r"(?:\bI(?:'d|'ll| can| could| would| will)?|\bme to|\b(?:shall|should|can|could) (?:I|we))(?: now"
        r"| also| first"
        r"| then| just| quickly)? (?:run|rerun|re-run|look|check|read|show|inspect|verify|wait|continue|proceed|start"
        r"|open|grep|measure|investigate|reproduce|tell|explain|commit|push|ask|go on|begin|see) (?!.*\bor\b)",
        r"^next would be\b",
    ),
    "claims_user": (
        r"\b(?:as we (?:decided|agreed|discussed|said)|like you (?:said|asked|wanted)"
        r"|following your (?:request|instructions?|decision)|you (?:wanted|requested|asked for))\b",
        r"\b(?:as you (?:decided|asked|said|wanted|requested|mentioned|agreed|instructed|suggested|wished)"
        r"|as (?:agreed|requested|discussed|instructed|decided)|per your (?:request|instructions?|decision)"
        r"|you (?:decided|agreed|asked me|told me|approved))\b",
    ),
    "weak_yes": (rf"{_YES}(?: (?:thanks|then|thank you))?",),
    "suggest": (
        r"\bI(?:'d| would| propose| suggest| recommend| could)\b|\b(?:alternative|smallest change|proposal"
        r"|suggestion)\b|\bwould (?:do|work|help|avoid|fix|solve|suffice|be)\b|^(?:you|we) could\b|^the (?:simplest"
        r"|easiest|safest|cleanest|best|usual)\b",
    ),
    "ack": (r"(?:ok|okay|sure|got it|understood|right|you're right|noted|done|sorry|thanks)\b.{0,12}",),
    "pronoun": (r"^(?:keep|use|make|leave|do|put|go with|stick with) (?:it|that|this|them|those)\b",),
    "rule": (
        r"^leave \w",
        r"^keep .+ (?:as|unchanged|intact)\b",
        r"^no (?!.*\b(?:is|are|was|were|has|have|will|can|does|should|matters?)\b).*\b(?:stuff|things?|magic|hacks?"
        r"|tricks?"
        r"|please|allowed|anywhere|whatsoever|ever|frameworks?|dependenc\w+|librar\w+|packages?|mocks?|globals?"
        r"|comments?)\b",
    ),
    "smalltalk": (
        r"\b(?:anything else|how can i help|what would you like|is there anything|what do you think|what else"
        r"|let me know)\b",
    ),
    "unknown": (r"\b(?:what|which|how|whether|where|when|who)\b",),
    "time": (r"\b(?:tomorrow|tonight|today|later|next week|monday|tuesday|wednesday|thursday|friday|morning)\b",),
    "either_or": (r"\bor\b", r"\bversus\b|\bvs\b", r"\beither\b"),
    "which": (r"\b(?:which|what|how|where|when|who)\b(?! (?:about|if)\b)|\bor\b(?! (?:not|so|something)\b)",),
    "thanks": (r"(?:many |great |ok |perfect )?(?:thanks|thank you|thx|cheers)(?: a lot| so much| very much)?",),
    "request": (r"^(?:can|could|would|will) you\b", r"^(?:please|and|also) "),
    "no_answer": (
        r"\b(?:i can't (?:see|tell|know|say)|i cannot (?:see|tell|know|say)|don't know|not sure|unclear|no idea"
        r"|no clue|hard to say|for \w+ to (?:say|decide)|up to \w+|depends on|can you (?:tell|say)"
        r"|which (?:one )?do you)\b",
    ),
    "keeps_open": (
        r"\b(?:still open|open question|open point|tbd|to be decided|undecided|question (?:is|remains|stays) open"
        r"|not decided yet)\b",
    ),
    "commit": (
        r"\bI(?:'ll| will| have to| need to| must|'m going to) (?!take\b|go with\b|say\b|never\b|not\b|leave\b"
        r"|let you\b"
        r"|allow\b|be\b|know\b|think\b|need\b|have\b|add that\b).+",
        r"\b(?:someone|somebody|we) (?:has|have|needs|need|must)(?: to)? (?!keep|stay|work)(?:run|ask|check"
        r"|look|update"
        r"|tell|deploy|test|talk|write|verify|review|fix|call|migrate)\b.*",
        r"\bwe(?:'ll| will)? look at .+ (?:after|when|once|tomorrow|tonight|later|next)\b.*",
    ),
    "remaining": (r"\b(?:remaining|left to do|still to do|next steps?|todo|outstanding)(?: is| are)?: (?P<what>.+)",),
    "done": (
        r"\b(?:done|was green|is green|passed|finished|merged|got merged|pinged|ran it|i ran|i did|i asked"
        r"|asked (?:her|him"
        r"|them)|deployed|fixed it|sorted|says|answered|replied|came back|works now|closed|have them)\b",
    ),
    "claim_ran": (
        r"\bI(?: have|'ve)?(?: also| just| already)? (?:ran|run|verified|tested|checked|executed|validated|linted"
        r"|benchmarked)\b.+",
        r"\b(?:all|the|full|whole) (?:\w+ )?(?:tests?|suite|checks|lint|linter|build)(?: all)? (?:pass|passes"
        r"|passed|is"
        r" green|are green|is clean|are clean|succeeds|succeeded)\b",
        r"\b(?:tested|verified|validated) (?:on|in|with|against|by) .+",
    ),
    "admit": (
        r"\bI (?:did not|didn't|have not|haven't|never)(?: actually)? (?:run|ran|test|tested|verify|verified|check"
        r"|checked"
        r"|execute|executed)\b",
        r"\bI should(?: not|n't) have (?:said|written|claimed)\b|\bthat was (?:wrong|not true|incorrect)\b",
        r"\bno, I (?:ran it|only ran|did not|didn't)\b|\bI ran it once\b",
    ),
}

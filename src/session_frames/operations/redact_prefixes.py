"""The keys that are known by how they start, as a table; what a rule is, redact_pattern.py says."""

from __future__ import annotations

from typing import Final

from session_frames.operations.redact_pattern import Rule

# No letter or digit in front, save the letter of an escape (``\n``) or of a percent-encoded byte.
EDGE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
_WORD = "[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"
_HEX = "[0-9a-fA-F]"


def _starts(name: str, prefixes: str, body: str, *, edge: bool = False) -> Rule:
    """A key known by how it starts; ``edge`` where the prefix is short enough to end an ordinary word."""
    literals = tuple(prefixes.split())
    choice = "|".join(literal.replace(".", r"\.") for literal in literals)
    return Rule(name, literals, f"{EDGE if edge else ''}(?:{choice}){body}")


PREFIXED: Final = (
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
    Rule("jwt", ("eyJ",), rf"{EDGE}eyJ{_WORD}{{8,}}\.{_WORD}{{4,}}\.[A-Za-z0-9_.-]*{_WORD}{{6}}"),
)

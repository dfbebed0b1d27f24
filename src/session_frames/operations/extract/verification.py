"""Which shell commands check the work, and what came out of them.

A command is a check when one of the simple commands on its line is a test runner, a linter, a type checker or a build.
Its outcome is what the runner's own summary says, then what the exit code says where nothing on the line hides it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from session_frames.model import CheckOutcome
from session_frames.operations.command_lines import REDIRECTION, split, without_heredocs


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Programs that check whatever their arguments are.
_CHECKERS: Final = _words(
    """
    ava bats biome black-check clang-tidy cppcheck ctest detekt eslint flake8 golangci-lint gotestsum hadolint jest
    karma ktlint markdownlint mocha mypy nextest nose2 nosetests phpcs phpstan phpunit pest psalm py.test pylint pyre
    pyright basedpyright pytest rspec rubocop shellcheck standardrb staticcheck stylelint swiftlint tap testcafe tox tsc
    ty vitest vue-tsc yamllint actionlint pre-commit nox behave cucumber minitest credo dialyzer sorbet srb reek
    brakeman
    """
)

# Programs that check only with one of these first arguments.
_CHECKING_ARGUMENTS: Final = {
    program: _words(arguments)
    for program, arguments in {
        "ansible-lint": "",
        "bazel": "test build",
        "bin/rails": "test spec",
        "black": "--check",
        "buck2": "test build",
        "bun": "test build",
        "cargo": "test t clippy check c build b nextest bench doc audit deny",
        "cypress": "run",
        "dart": "test analyze",
        "deno": "test lint check",
        "dotnet": "test build",
        "flutter": "test analyze build",
        "go": "test vet build",
        "gofmt": "-l -d",
        "gofumpt": "-l -d",
        "gradle": "test check build assemble lint",
        "gradlew": "test check build assemble lint",
        "isort": "--check --check-only -c",
        "lein": "test check",
        "make": "test tests check lint build all typecheck verify ci",
        "just": "test tests check lint build typecheck verify ci",
        "task": "test tests check lint build typecheck verify ci",
        "manage.py": "test check",
        "mix": "test credo dialyzer compile",
        "mvn": "test verify package install compile",
        "mvnw": "test verify package install compile",
        "ng": "test build lint",
        "next": "build lint",
        "node": "--test",
        "nx": "test build lint",
        "playwright": "test",
        "prettier": "--check -c",
        "rails": "test spec",
        "rake": "test spec rubocop",
        "rustfmt": "--check",
        "ruff": "check",
        "sbt": "test compile",
        "stack": "test build",
        "cabal": "test build",
        "swift": "test build",
        "terraform": "validate",
        "tofu": "validate",
        "turbo": "test build lint",
        "vite": "build",
        "xcodebuild": "test build",
        "zig": "test build",
        "cmake": "--build",
    }.items()
}

# Words of an npm script or a task's name that say that it checks: "test:unit", "lint", "typecheck".
_SCRIPT_RUNNERS: Final = _words("npm pnpm yarn bun composer deno hatch pdm")
_CHECKING_SCRIPT: Final = r"(?:^|[:_-])(?:tests?|spec|lint|check|typecheck|types|tsc|build|e2e|unit|verify)(?=$|[:_-])"
_INTERPRETERS: Final = _words("bash sh zsh node ruby perl php tsx ts-node bun deno Rscript julia lua")
_CHECKING_FILE: Final = r"(?:^|[._-])(?:tests?|check|verify|validate|smoke|bench(?:mark)?|measure|lint)(?=$|[._-])"
_NO_SCRIPT: Final = _words("install add i ci remove start dev serve init publish audit")

# What may stand before the command proper; ``timeout`` has an argument of its own.
_WRAPPERS: Final = _words("sudo env time nice nohup command exec xvfb-run npx bunx timeout then do if ! {")
_TWO_WORD_WRAPPERS: Final = frozenset(
    (
        *("uv run", "poetry run", "pipenv run", "pdm run", "hatch run", "rye run", "bundle exec", "direnv exec"),
        *("pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "npm exec", "bun x", "mise exec"),
    )
)
_PYTHON: Final = r"^(?:python|pypy)[\d.]*$|^py$"
_PYTHON_MODULES: Final = _words("unittest compileall build doctest py_compile")
_SHELLS: Final = _words("bash sh zsh dash")
_ASSIGNMENT: Final = r"^[A-Za-z_]\w*="
_ONLY_ASKS: Final = _words("--version -V --help -h help version")
_LONGEST_COMMAND: Final = 20_000
_DEEPEST_SHELL: Final = 3


def is_check(command: str) -> bool:
    """Whether the shell command checks the work: runs tests, a linter, a type checker or a build."""
    return any(_checks(words) for words in _simple_commands(command))


def _simple_commands(command: str, depth: int = 0) -> Iterator[list[str]]:
    """The simple commands of a command line, without assignments and wrappers; also those of ``bash -c '...'``."""
    for words in split(re.sub(REDIRECTION, " ", without_heredocs(command[:_LONGEST_COMMAND]))):
        plain = _unwrapped(words)
        script = _shell_script(plain)
        if script and depth < _DEEPEST_SHELL:
            yield from _simple_commands(script, depth + 1)
        elif plain:
            yield plain


def _unwrapped(words: list[str]) -> list[str]:
    """The words from the program on: no assignments, ``timeout 60``, ``uv run``, ``docker compose run ... NAME``."""
    at = 0
    while at < len(words):
        word = words[at]
        if re.match(_ASSIGNMENT, word):
            at += 1
        elif word in _WRAPPERS:
            at = _past_options(words, at + 1) + (word == "timeout")
        elif " ".join(words[at : at + 2]) in _TWO_WORD_WRAPPERS:
            at = _past_options(words, at + 2)
        elif word in ("docker", "podman", "docker-compose", "kubectl"):
            return _inside_container(words[at:])
        else:
            break
    return words[at:]


def _past_options(words: list[str], at: int) -> int:
    while at < len(words) and words[at].startswith("-"):
        at += 1
    return at


def _inside_container(words: list[str]) -> list[str]:
    """The command that a container is told to run: from the first known program behind ``run`` or ``exec``."""
    for verb in ("run", "exec"):
        if verb in words:
            inner = words[words.index(verb) + 1 :]
            for at, word in enumerate(inner):
                if _program(word) in _CHECKERS or _program(word) in _CHECKING_ARGUMENTS or re.match(_PYTHON, word):
                    return inner[at:]
    return []


def _shell_script(words: list[str]) -> str:
    """The script of ``bash -lc SCRIPT``, else ""."""
    if len(words) >= 3 and _program(words[0]) in _SHELLS and words[1].startswith("-") and words[1].endswith("c"):
        return words[2]
    return ""


def _program(word: str) -> str:
    return word.rsplit("/", 1)[-1].removesuffix(".exe").removesuffix(".cmd")


def _checks(words: list[str]) -> bool:
    program, arguments = _program(words[0]), words[1:]
    if any(argument in _ONLY_ASKS for argument in arguments[:1]):
        return False
    if re.match(_PYTHON, program):
        return _python_checks(arguments)
    if program in _SCRIPT_RUNNERS and _script_checks(arguments):
        return True
    if program in _CHECKERS:
        return True
    wanted = _CHECKING_ARGUMENTS.get(program)
    if program in _INTERPRETERS and _is_checking_file(arguments):
        return True
    if wanted is None:
        return _is_checking_file(words)
    return any(argument in wanted or argument.rsplit(":", 1)[-1] in wanted for argument in arguments)


def _is_checking_file(words: list[str]) -> bool:
    """Whether a script of the project's own runs that is named for what it checks: ``scripts/measure_import.py``."""
    name = _program(words[0]) if words else ""
    stem, dot, _ = name.rpartition(".")
    return bool(re.search(_CHECKING_FILE, stem if dot else name)) and (bool(dot) or "/" in words[0])


def _python_checks(arguments: list[str]) -> bool:
    if "-m" in arguments[:3]:
        module = arguments[arguments.index("-m") + 1 :]
        return bool(module) and (module[0] in _PYTHON_MODULES or _checks(module))
    if _is_checking_file(arguments):
        return True
    return bool(arguments) and _program(arguments[0]) == "manage.py" and _checks(arguments)


def _script_checks(arguments: list[str]) -> bool:
    """``npm test``, ``npm run lint``, ``yarn test:unit``: the first word that is no option names the script."""
    names = [word for word in arguments if not word.startswith("-") and word not in ("run", "run-script")]
    return bool(names) and names[0] not in _NO_SCRIPT and bool(re.search(_CHECKING_SCRIPT, names[0]))


# ---------------------------------------------------------------------------------------------------------------------
# Outcomes

# Lines by which a runner says how it went, whatever the command line was. A failure anywhere wins.
_FAILED_SUMMARIES: Final = (
    r"^=*\s*(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in [\d.:]+ ?m?s?",  # pytest
    r"^FAILED \S+::\S+",
    r"^FAILED \((?:failures|errors)=",  # unittest
    r"^Tests?:?\s.*\b[1-9]\d* failed\b",  # jest, vitest
    r"^Test (?:Files|Suites):?\s.*\b[1-9]\d* failed\b",
    r"^[1-9]\d* failing\b",  # mocha
    r"^(?:#|ℹ) fail [1-9]",  # node:test
    r"^not ok \d+",
    r"^(?:---|\s*---) FAIL:",  # go test
    r"^FAIL(?:\s+\S+.*)?$",
    r"^test result: FAILED\.",  # cargo
    r"^error: could not compile\b",
    r"^error(?:\[E\d+\])?: ",
    r"^(?:\[\w+\] )?BUILD (?:FAILURE|FAILED)\b",  # maven, gradle
    r"\bTests run: \d+, Failures: (?:[1-9]\d*|0, Errors: [1-9])",
    r"^\d+ (?:examples?|runs|tests)\b.*\b[1-9]\d* (?:failures?|errors?)\b",  # rspec, minitest, exunit
    r"^\d+ files? inspected, [1-9]\d* offenses?",  # rubocop
    r"^(?:FAILURES|ERRORS)!$",  # phpunit
    r"^Failed!\s+- Failed:\s+[1-9]",  # dotnet
    r"\b[1-9]\d* tests failed out of \d+",  # ctest
    r"^Found [1-9]\d* errors?\b",  # ruff, mypy, tsc
    r"^✖ \d+ problems? \([1-9]\d* errors?",  # eslint
    r"\berror TS\d+:",
    r"^[1-9]\d* issues?[:.]",  # golangci-lint
    r"^[1-9]\d* errors?, \d+ warnings?",  # pyright
    r"^make(?:\[\d+\])?: \*\*\* ",
    r"^npm (?:ERR!|error) ",
    r": command not found$",
    r"^\S+: No module named ",
    r"^no tests ran\b",
)
_PASSED_SUMMARIES: Final = (
    r"^=*\s*(?:\d+ \w+, )*[1-9]\d* passed\b.* in [\d.:]+ ?m?s?",
    r"^OK(?: \(.*\))?$",
    r"^Tests?:?\s+(?:\d+ (?:skipped|todo)[,|] ?)?[1-9]\d* passed\b",
    r"^\d+ passing\b",
    r"^(?:#|ℹ) fail 0\b",
    r"^ok\s+\S+\s+(?:[\d.]+s|\(cached\))",
    r"^PASS$",
    r"^test result: ok\.",
    r"^Finished .*\bin [\d.]+m?s",
    r"^(?:\[\w+\] )?BUILD SUCCESS(?:FUL)?\b",
    r"^\d+ (?:examples?|runs|tests)\b.*\b0 failures\b",
    r"^\d+ files? inspected, no offenses",
    r"^Passed!\s+- Failed:\s+0",
    r"^100% tests passed",
    r"^All checks passed!",
    r"^Success: no issues found",
    r"^✖ \d+ problems? \(0 errors",
    r"^0 issues\.",
    r"^0 errors, \d+ warnings?",
)
_COLOUR: Final = r"\x1b\[[0-9;]*[A-Za-z]"
_LISTS_WHAT_IS_WRONG: Final = r"\bgofu?mp?t\s+(?:-\w+\s+)*-l\b"
_PIPE: Final = r"(?<!\|)\|(?!\|)"
_LATER_COMMAND: Final = r"\|\||;\s*\S|&\s*$"
_LONGEST_LINE: Final = 400


@cache
def _summary(patterns: tuple[str, ...], at_start: bool) -> re.Pattern[str]:
    chosen = [pattern for pattern in patterns if pattern.startswith("^") == at_start]
    return re.compile("|".join(f"(?:{pattern})" for pattern in chosen) or "(?!)")


class Summaries(NamedTuple):
    """Lines that say the same of a run."""

    patterns: tuple[str, ...]
    signs: tuple[str, ...]  # one of them stands in every such line

    def stand_in(self, output: str) -> bool:
        """Is one of them among the lines?"""
        signs = [sign for sign in self.signs if sign in output]
        return bool(signs) and any(
            self._match(line.strip()[:_LONGEST_LINE])
            for line in output.splitlines()
            if any(sign in line for sign in signs)
        )

    def _match(self, line: str) -> bool:
        # Most patterns are tried at its start only, which is five times as fast.
        return bool(_summary(self.patterns, True).match(line) or _summary(self.patterns, False).search(line))


FAILURES: Final = Summaries(
    _FAILED_SUMMARIES,
    ("fail", "Fail", "FAIL", "error", "ERR", "not ok", "offense", "issue", "***", "not found", "No module", "no tests"),
)
PASSES: Final = Summaries(
    _PASSED_SUMMARIES,
    ("pass", "Pass", "PASS", "ok", "OK", "fail 0", "Finished", "SUCCESS", "0 failures", "no ", "0 issues", "0 errors"),
)


def outcome_of(command: str, output: str, exit_code: int | None, failed: bool | None) -> CheckOutcome:
    """What became of a check.

    ``exit_code`` and ``failed`` are what the transcript says, None where it says nothing. A runner's summary wins over
    an exit code that a pipe or a later command hides; where nothing tells, the outcome is unknown.
    """
    if exit_code or failed:
        return "failed"
    output = re.sub(_COLOUR, "", output) if "\x1b" in output else output
    if FAILURES.stand_in(output):
        return "failed"
    told = exit_code == 0 or failed is False
    if told and re.search(_LISTS_WHAT_IS_WRONG, command):
        lines = [line.strip()[:_LONGEST_LINE] for line in output.splitlines()]
        return "failed" if any(line.endswith(".go") for line in lines) else "passed"
    if PASSES.stand_in(output):
        return "passed"
    return "passed" if told and not _hides_the_exit_code(command) else "unknown"


def _hides_the_exit_code(command: str) -> bool:
    """Whether the exit code is that of another command than the check: behind a pipe, ``||``, ``;`` or ``&``."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "''", re.sub(REDIRECTION, " ", command))
    if "pipefail" in bare or re.search(r"\bset -\w*e", bare):
        return bool(re.search(r"\|\|", bare))
    return bool(re.search(_PIPE, bare) or re.search(_LATER_COMMAND, bare.replace("&&", " ")))

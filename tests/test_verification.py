"""Which commands check the work, and what became of them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_frames.operations.extract.verification import FAILURES, PASSES, Summaries, is_check, outcome_of

CHECKS = """
pytest -q tests/test_limits.py
python -m pytest -q && python3.9 -m pytest -q
cd /srv/app && uv run pytest -x 2>&1 | tail -20
PYTHONPATH=src python3 -m unittest discover
bundle exec rspec spec/models/invoice_spec.rb
bundle exec rubocop lib/tasks
npx vitest run test/payment.spec.ts
npx tsc --noEmit
npm test
npm run lint -- --fix-dry-run
pnpm -r build
yarn test:unit
go vet ./internal/config/ && go test ./internal/config/
gofmt -l internal
cargo test --workspace
cargo clippy -- -D warnings
cargo build
make test
make -j4 check
./gradlew test
mvn -q verify
dotnet test
ctest --output-on-failure
phpunit tests
vendor/bin/phpunit
ruff check src
mypy src
.venv/bin/mypy src
poetry run mypy .
golangci-lint run
npx eslint src
tox -e py311
bash -lc 'pytest -q'
timeout 60 pytest -q
docker compose run --rm web pytest
bin/rails test
swift test
mix test
terraform validate
shellcheck run.sh
node --test
deno test
bun test
pre-commit run --all-files
python scripts/measure_import.py 1000
./scripts/check.sh
bash tools/smoke-test.sh staging
node scripts/verify-links.mjs
git stash -q && python bench/bench_sort.py; git stash pop -q
""".strip().splitlines()

NO_CHECKS = r"""
ls tests
cat pytest.ini
grep -rn pytest .
rg "go test" docs
curl -s http://localhost:8080/health
git commit -m "run pytest in CI"
git checkout -- tests/test_a.py
pip install pytest
npm install
npm run dev
npm start
sed -n '1,220p' Makefile
cargo add serde
echo "pytest passed"
python scripts/export.py
make clean
vim tests/test_x.py
which mypy
find . -name '*.test.ts'
pytest --version
go build-info
vim scripts/check.sh
python scripts/load_measures.py
./manage
test -f setup.cfg
cat <<'EOF' > run.sh\npytest -q\nEOF
""".strip().splitlines()


@pytest.mark.parametrize("command", CHECKS)
def test_a_check_is_known(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize("command", NO_CHECKS)
def test_what_checks_nothing_is_none(command: str) -> None:
    assert not is_check(command.replace("\\n", "\n"))


OUTCOMES = [
    ("pytest -q", "1 failed in 0.31s", 1, True, "failed"),
    ("pytest -q", "2 passed in 0.25s", 0, None, "passed"),
    ("pytest -n 4 tests 2>&1 | tail -3", "FAILED t.py::x - OSError\n1 failed, 14 passed in 3.92s", 0, False, "failed"),
    ("pytest -q | tail -1", "15 passed, 2 warnings in 3.10s", None, None, "passed"),
    ("pytest -q | tail -1", "2 passed, 1 error in 3.10s", 0, None, "failed"),
    ("pytest -q; true", "================ 3 failed, 2 passed in 1s ================", 0, None, "failed"),
    ("python -m unittest", "Ran 3 tests in 0.01s\n\nFAILED (failures=1)", None, None, "failed"),
    ("python -m unittest", "Ran 3 tests in 0.01s\n\nOK", None, None, "passed"),
    ("npx jest | cat", "Tests:       1 failed, 3 passed, 4 total", 0, None, "failed"),
    ("npx jest | cat", "Tests:       3 passed, 3 total", None, None, "passed"),
    ("npx vitest run", " Test Files  1 failed (1)\n      Tests  1 failed | 3 passed (4)", None, None, "failed"),
    ("npx vitest run", " Test Files  1 passed (1)\n      Tests  4 passed (4)", None, None, "passed"),
    ("npx mocha", "  12 passing (30ms)\n  1 failing", None, None, "failed"),
    ("npx mocha", "  12 passing (30ms)", None, None, "passed"),
    ("node --test", "# tests 3\n# pass 2\n# fail 1", None, None, "failed"),
    ("node --test", "ℹ tests 3\nℹ pass 3\nℹ fail 0", None, None, "passed"),
    ("go test ./... | tail", "--- FAIL: TestX\nFAIL\texample.org/x\t0.1s\nFAIL", 0, None, "failed"),
    ("go test ./...", "ok  \texample.org/x\t0.004s\n?   \texample.org/y\t[no test files]", None, None, "passed"),
    ("cargo test", "test result: ok. 2 passed; 0 failed; 0 ignored", None, None, "passed"),
    ("cargo test", "test result: FAILED. 1 passed; 1 failed", None, None, "failed"),
    ("cargo build 2>&1 | tail", "error: could not compile `album` (bin) due to 1 previous error", 0, None, "failed"),
    ("cargo build", "    Finished `dev` profile in 0.5s", None, None, "passed"),
    ("mvn test", "[INFO] Tests run: 3, Failures: 0, Errors: 0\n[INFO] BUILD SUCCESS", None, None, "passed"),
    ("mvn test | tail", "[ERROR] Tests run: 3, Failures: 1, Errors: 0\n[INFO] BUILD FAILURE", 0, None, "failed"),
    ("./gradlew test", "BUILD SUCCESSFUL in 3s", None, None, "passed"),
    ("./gradlew test | tail", "BUILD FAILED in 3s", 0, None, "failed"),
    ("bundle exec rspec", "1 example, 0 failures", None, None, "passed"),
    ("bundle exec rspec | tail", "3 examples, 1 failure", 0, None, "failed"),
    ("bundle exec rubocop", "3 files inspected, no offenses detected", None, None, "passed"),
    ("bundle exec rubocop | tail", "3 files inspected, 1 offense detected", 0, None, "failed"),
    ("phpunit", "OK (3 tests, 5 assertions)", None, None, "passed"),
    ("phpunit | tail", "FAILURES!\nTests: 3, Assertions: 5, Failures: 1.", 0, None, "failed"),
    ("dotnet test", "Passed!  - Failed:     0, Passed:     3", None, None, "passed"),
    ("dotnet test | tail", "Failed!  - Failed:     1, Passed:     3", 0, None, "failed"),
    ("ctest", "100% tests passed, 0 tests failed out of 5", None, None, "passed"),
    ("ctest | tail", "80% tests passed, 1 tests failed out of 5", 0, None, "failed"),
    ("ruff check", "All checks passed!", None, None, "passed"),
    ("ruff check | tail", "Found 3 errors.", 0, None, "failed"),
    ("mypy src", "Success: no issues found in 5 source files", None, None, "passed"),
    ("mypy src | tail", "Found 1 error in 1 file (checked 5 source files)", 0, None, "failed"),
    ("npx eslint . | tail", "✖ 2 problems (2 errors, 0 warnings)", 0, None, "failed"),
    ("npx eslint . | tail", "✖ 2 problems (0 errors, 2 warnings)", 0, None, "passed"),
    ("npx tsc --noEmit | head", "src/a.ts(3,1): error TS2304: Cannot find name 'x'.", 0, None, "failed"),
    ("npx tsc --noEmit", "", 0, None, "passed"),
    ("npx tsc --noEmit", "", None, False, "passed"),
    ("npx tsc --noEmit | head", "", 0, None, "unknown"),
    ("golangci-lint run | tail", "2 issues:\n* errcheck: 2", 0, None, "failed"),
    ("golangci-lint run", "0 issues.", None, None, "passed"),
    ("pytest && mypy gateway", "16 passed in 3s\nFound 1 error in 1 file (checked 5 source files)", 1, True, "failed"),
    ("pytest -q", "collecting ...", None, None, "unknown"),
    ("make test", "", None, True, "failed"),
    ("make test", "make: *** [Makefile:3: test] Error 2", None, None, "failed"),
    ("pytest -q | tail", "bash: pytest: command not found", 0, None, "failed"),
    ("pytest -q", "no tests ran in 0.01s", 5, True, "failed"),
    ("pytest -q", "2 passed, 1 xfailed in 0.3s", 0, None, "passed"),
    ("set -o pipefail; make check | tail", "fine", 0, None, "passed"),
    ("make check || true", "fine", 0, None, "unknown"),
    ("gofmt -l internal", "internal/a.go", 0, None, "failed"),
    ("gofmt -l internal", "", 0, None, "passed"),
]


@pytest.mark.parametrize(("command", "output", "exit_code", "failed", "outcome"), OUTCOMES)
def test_the_outcome(command: str, output: str, exit_code: int | None, failed: bool | None, outcome: str) -> None:
    assert outcome_of(command, output, exit_code, failed) == outcome


def test_colours_do_not_hide_the_outcome() -> None:
    assert outcome_of("pytest | cat", "\x1b[31m1 failed\x1b[0m, \x1b[32m3 passed\x1b[0m in 0.1s", 0, None) == "failed"


@pytest.mark.parametrize(
    ("summaries", "pattern"), [(one, pattern) for one in (FAILURES, PASSES) for pattern in one.patterns]
)
def test_every_summary_holds_a_sign(summaries: Summaries, pattern: str) -> None:
    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(st.from_regex(pattern))
    def check(text: str) -> None:
        assert any(sign in text for sign in summaries.signs)

    check()

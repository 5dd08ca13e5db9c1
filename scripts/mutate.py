"""Sixty small breakages of the source, each with the test file that must notice it: tests of the tests.

    scripts/mutate.py              all of them; 0 if at least 58 are noticed
    scripts/mutate.py --third      every third; all but one must be noticed
    scripts/mutate.py storage      those whose file's path holds this word

A copy of the package is broken in one place, and the file's tests run on it until the first fails; as many at once as
there are cores. It never touches the source. A text that is no longer to be found, or tests that cannot run at all, are
told as an error, not as a catch.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
ESCAPES = 2
FAILED = 1  # pytest's code: tests ran, and some failed
HANGS = 240  # seconds, after which tests are ended that would pass in a few

# The file, what stands there, what is put in its place, the tests that must fail.
STORAGE, FOLDER, TABLES = "storage.py", "runs/folder.py", "text/files/tables.py"
FILES, CORPORA, WEIGHTS = "text/files/text_files.py", "text/corpora.py", "models/weights.py"
LIMITS, GUARD, GATE = "serving/requests/limits.py", "studio/guard.py", "serving/requests/gate.py"
STRICT, QUEUE, LOOP = "serving/requests/strict_json.py", "studio/work_queue.py", "training/loop.py"
MUTANTS = (
    (STORAGE, "if _sha256(content) != facts.get(", "if False and _sha256(content) != facts.get(", "test_storage.py"),
    (STORAGE, "    _remove(old)\n    _remove(part)", "    _remove(part)", "test_storage.py"),
    (STORAGE, "            os.truncate(path, end)\n", "            pass\n", "test_storage.py"),
    (STORAGE, "            part.unlink(missing_ok=True)\n            raise", "            raise", "test_storage.py"),
    (STORAGE, "            _put(part, content)\n            os.replace(part, path)", "            _put(path, content)",
     "test_storage.py"),
    (STORAGE, "        if not _PLAIN_NAME.fullmatch(name):", "        if not _PLAIN_NAME.match(name):",
     "test_storage.py"),
    (STORAGE, "    return new if new.exists() and not path.exists() else path", "    return path", "test_storage.py"),
    (STORAGE, "        _check_replaceable(path)\n", "", "test_storage.py"),
    (STORAGE, "    except GlassformerError:\n        raise\n    except (LookupError,", "    except (LookupError,",
     "test_storage.py"),
    (STORAGE, 'if b"\\\\u" in content and', "if False and", "test_storage.py"),
    (FOLDER, "for each in others if each < step][-SPARE:]", "for each in others if each < step][:SPARE]",
     "runs/test_folder.py"),
    (FOLDER, "if not best:\n            kept |=", "if best:\n            kept |=", "runs/test_folder.py"),
    (FOLDER, "for line in content.split(b\"\\n\")[:-1]]", "for line in content.split(b\"\\n\") if line]",
     "runs/test_folder.py"),
    (FOLDER, "            if wrong := _wrongly_logged(record):", "            if wrong := '':", "runs/test_folder.py"),
    (FOLDER, 'record.get("step", 0) <= step]', 'record.get("step", 0) < step]', "runs/test_folder.py"),
    (FOLDER, "return self._first_whole(self.checkpoints()[::-1])", "return self._first_whole(self.checkpoints())",
     "runs/test_folder.py"),
    ("runs/lock.py", "        _lock(handle, folder)\n", "", "runs/test_lock.py"),
    ("runs/lock.py", "fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH | fcntl.LOCK_NB", "runs/test_lock.py"),
    ("training/course.py", "            raise SystemExit(128 + number)", "            return",
     "training/test_course.py"),
    ("training/course.py", "        self.folder.rewind(self.loop.progress.step)\n", "", "training/test_course.py"),
    ("training/processes/wrapping.py", "        torch.set_rng_state(own)\n", "        pass\n", "training/test_loop.py"),
    (LOOP, "        if progress.step == progress.validated_at:\n            return False\n", "",
     "training/test_loop.py"),
    (LOOP, "self.progress.epoch + 1, 0", "self.progress.epoch, 0", "training/test_loop.py"),
    (LOOP, "        nn.utils.clip_grad_norm_(self.model.parameters(), self.plan.clip)\n", "", "training/test_loop.py"),
    (FILES, "    most = min(LARGEST, max(MOST_GROWTH * len(packed), HARMLESS))", "    most = LARGEST",
     "text/files/test_text_files.py"),
    (FILES, "            if not stat.S_ISREG(path.stat().st_mode):", "            if False:",
     "text/files/test_text_files.py"),
    (FILES, 'io.StringIO(text, newline="")', "text.splitlines()", "text/files/test_text_files.py"),
    (FILES, "    if data.count(0) > MOST_ZEROS * len(data):", "    if False:", "text/files/test_text_files.py"),
    (FILES, '    (b"%PDF", "a PDF"),\n', "", "text/files/test_text_files.py"),
    (FILES, '.removeprefix("\\ufeff")', "", "text/files/test_text_files.py"),
    (TABLES, "if after and (after == line_over or not width or len(cells) == width):", "if after:",
     "text/files/test_tables.py"),
    (TABLES, "            yield Skip(file, line, UNCLOSED)\n", "            pass\n", "text/files/test_tables.py"),
    (TABLES, ", object_pairs_hook=_once", "", "text/files/test_tables.py"),
    (TABLES, "parse_constant=_no_constant, ", "", "text/files/test_tables.py"),
    (TABLES, "    except RecursionError as error:\n", "    except KeyboardInterrupt as error:\n",
     "text/files/test_tables.py"),
    (TABLES, "if unpacked > LARGEST or told.num_rows > MOST_ROWS:", "if unpacked > LARGEST:",
     "text/files/test_tables.py"),
    (TABLES, "line += 1 if after == line_over else len(line_end.findall(text, place, after))", "line += 1",
     "text/files/test_tables.py"),
    (CORPORA, "        self.reasons[skip.reason] += 1\n", "        self.reasons[skip.reason] = 1\n",
     "text/test_corpora.py"),
    (CORPORA, "    if label in MISSING:", "    if False:", "text/test_corpora.py"),
    (CORPORA, "    if len(left) != len(right):", "    if False:", "text/test_corpora.py"),
    (WEIGHTS, "if found.is_floating_point() and not bool(found.isfinite().all()):", "if False:",
     "models/test_weights.py"),
    (WEIGHTS, "if found.shape != value.shape or found.dtype != value.dtype:", "if found.shape != value.shape:",
     "runs/test_folder.py"),
    (WEIGHTS, "    if count > MOST_NUMBERS:", "    if False:", "runs/test_folder.py"),
    (WEIGHTS, "min(LARGEST_HEADER, len(content) - 8)", "len(content) - 8", "runs/test_folder.py"),
    (LIMITS, "        if self.left < 0:", "        if False:", "serving/requests/test_limits.py"),
    (LIMITS, "    if hosts[0] not in known:", "    if False:", "serving/requests/test_limits.py"),
    (LIMITS, "    if len(headers) > MOST_HEADERS or", "    if", "serving/requests/test_limits.py"),
    (LIMITS, '    if values(headers, b"content-encoding"):', "    if False:", "serving/requests/test_limits.py"),
    (GUARD, "if len(origins) != 1 or origins[0] not in self.door.origins:", "if False:", "studio/test_guard.py"),
    (GUARD, '        if not self._knows(_first_word(scope["path"])):', "        if False:", "studio/test_guard.py"),
    (GATE, "        if any(origin not in own for origin", "        if False and any(origin not in own for origin",
     "serving/requests/test_gate.py"),
    (STRICT, "    if depth > DEEPEST:", "    if False:", "serving/requests/test_strict_json.py"),
    (STRICT, "    if isinstance(value, str) and HALF.search(value):", "    if False:",
     "serving/requests/test_strict_json.py"),
    (QUEUE, "            piece.leave()\n", "", "studio/test_work_queue.py"),
    (QUEUE, "class GoneError(BaseException):", "class GoneError(Exception):", "studio/test_work_queue.py"),
    ("serving/requests/slow_headers.py", "        elif self._cutting is None and self.conn.trailing_data[0]:",
     "        elif False:", "serving/requests/test_slow_headers.py"),
    ("errors.py", "    return text.translate(_STEERING)", "    return text", "test_errors.py"),
    ("commands/main.py", "    if lacks_memory(error):", "    if False:", "commands/test_main.py"),
    ("commands/settings.py", "        if len(content) > LARGEST:", "        if False:", "commands/test_settings.py"),
    ("training/race/race_file.py", "        _check(model, {**_MODEL, **figures}, path,",
     "        _check(model, _MODEL, path,",
     "training/race/test_race_file.py"),
)  # fmt: skip


def outcome(path: str, before: str, after: str, tests: str) -> str:
    """What becomes of one mutant: caught, ESCAPED, or what is wrong with its line here."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "glassformer"
        shutil.copytree(ROOT / "src" / "glassformer", copy, ignore=shutil.ignore_patterns("__pycache__"))
        text = (copy / path).read_text(encoding="utf-8")
        if text.count(before) != 1:
            return f"ERROR: {before!r} stands {text.count(before)} times in {path}"
        (copy / path).write_text(text.replace(before, after), encoding="utf-8")
        words = ["-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow", "--timeout", "60"]
        try:
            run = subprocess.run(
                [sys.executable, *words, f"tests/{tests}"], cwd=ROOT, env={**os.environ, "PYTHONPATH": name},
                capture_output=True, text=True, check=False, timeout=HANGS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:  # a thread that never ends keeps its process
            return "caught"
    if run.returncode == 0:
        return "ESCAPED"
    hung = "Timeout" in run.stdout + run.stderr  # a test that hangs is ended, and its process with it
    return "caught" if run.returncode == FAILED or hung else f"ERROR: {run.stdout[-300:]}"


def main(words: list[str]) -> int:
    """Tries them, tells each, and says how many were caught."""
    chosen = MUTANTS[::3] if "--third" in words else MUTANTS
    chosen = tuple(each for each in chosen if all(word in each[0] for word in words if word != "--third"))
    found = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for each, became in zip(chosen, pool.map(lambda each: outcome(*each), chosen), strict=True):
            found.append(became)
            print(f"{became:8} {each[0]}: {each[1].strip()[:80]}", flush=True)
    print(f"{found.count('caught')} of {len(found)} caught, by the tests named beside them.")
    most = ESCAPES * len(chosen) // len(MUTANTS) + (len(chosen) < len(MUTANTS))
    return 0 if len(found) - found.count("caught") <= most else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

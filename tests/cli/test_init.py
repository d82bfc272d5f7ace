"""`causalbandits init`: a new user gets an example of a problem file."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import causalbandits as cb
from causalbandits.files.examples import examples

from .commands import output_of, run_command

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", examples())
def test_init_writes_an_example_that_check_accepts(name: str) -> None:
    assert output_of("init", "--example", name) == (
        f"{name}.toml is written; change it, then: causalbandits check {name}.toml\n"
    )
    assert Path(f"{name}.toml").read_text() == examples()[name]
    assert output_of("check", f"{name}.toml").startswith(f"{name}: ")


def test_init_lists_the_examples_with_what_they_are_about() -> None:
    lines = output_of("init", "--list").splitlines()
    assert lines[0] == "marketing: A product page: what makes its visitors buy?"
    assert [line.partition(":")[0] for line in lines] == list(examples())
    assert list(Path().iterdir()) == []


def test_init_writes_where_it_is_told_and_overwrites_nothing() -> None:
    Path("folder").mkdir()
    output_of("init", "--output", "my shop.toml")
    assert "check folder/marketing.toml" in output_of("init", "-o", "folder")
    assert output_of("check", "my shop.toml").startswith("marketing: ")
    Path("my shop.toml").write_text("mine")
    with pytest.raises(cb.InputError, match=r"^There is a file 'my shop.toml' already; name another one with --output"):
        output_of("init", "-o", "my shop.toml")
    assert Path("my shop.toml").read_text() == "mine"
    with pytest.raises(cb.InputError, match=r"^There is no folder 'nowhere'; make it, or name another file\.$"):
        output_of("init", "-o", "nowhere/x.toml")
    with pytest.raises(cb.InputError, match=r"^There is no example 'marketin'; did you mean 'marketing'\?$"):
        output_of("init", "--example", "marketin")


def test_the_program_tells_its_version() -> None:
    answer = run_command("--version")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout == f"causalbandits {version('causalbandits')}\n"


@pytest.mark.slow
def test_the_examples_are_in_the_wheel_and_in_the_source_distribution(tmp_path: Path) -> None:
    """Built from a copy, so that nothing is left in the working tree."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (copy / name).write_bytes((ROOT / name).read_bytes())
    for file in (ROOT / "src").rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts and ".egg-info" not in str(file):
            place = copy / file.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    code = "from setuptools import build_meta as b; b.build_wheel('..'); b.build_sdist('..')"
    subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, check=True)
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as built, tarfile.open(source) as packed:
        for name in examples():
            assert f"causalbandits/examples/{name}.toml" in built.namelist()
            assert any(member.endswith(f"src/causalbandits/examples/{name}.toml") for member in packed.getnames())

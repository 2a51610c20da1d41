import json

import pytest

from notes import count_lines, load, save


@pytest.fixture
def path(tmp_path):
    return tmp_path / "notes.json"


def test_round_trip(path):
    save(path, ["a", "ü"])
    assert load(path) == ["a", "ü"]
    assert json.loads(path.read_text(encoding="utf-8")) == ["a", "ü"]


def test_missing(path):
    assert load(path) == []
    assert not path.exists()


def test_overwrites(path):
    save(str(path), [1, 2, 3])
    save(str(path), [4])
    assert load(path) == [4]


def test_count_lines(tmp_path):
    (tmp_path / "b.txt").write_text("1\n2\n")
    (tmp_path / "a.txt").write_text("")
    assert count_lines(tmp_path) == {"a.txt": 0, "b.txt": 2}


def test_folders_are_separate(tmp_path):
    assert list(tmp_path.iterdir()) == []


def test_bad_json(path):
    path.write_text("{")
    with pytest.raises(json.JSONDecodeError):
        load(path)

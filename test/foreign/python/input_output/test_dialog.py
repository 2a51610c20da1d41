import io

import pytest

import dialog


def test_age(monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt="": "42")
    assert dialog.ask_age() == 42


def test_asks_again(monkeypatch, capsys):
    answers = iter(["x", "", "7"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert dialog.ask_age() == 7
    assert capsys.readouterr().out == "not a number\n" * 2


def test_prompt(monkeypatch):
    seen = []

    def fake(prompt):
        seen.append(prompt)
        return "1"

    monkeypatch.setattr("builtins.input", fake)
    dialog.ask_age()
    assert seen == ["age? "]


@pytest.mark.parametrize("choice, expected", [("1", "a"), ("2", "b")])
def test_menu(monkeypatch, capsys, choice, expected):
    monkeypatch.setattr("builtins.input", lambda: choice)
    assert dialog.menu(["a", "b"]) == expected
    assert "1 a\n2 b\n" in capsys.readouterr().out


def test_stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n2\n\n3\n"))
    assert dialog.total() == 6

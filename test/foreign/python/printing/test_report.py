import contextlib
import io

import report


def test_table(capsys):
    report.table([("apple", 1), ("pear", 22.25)])
    captured = capsys.readouterr()
    assert captured.out == "apple     1.0\npear     22.2\n"
    assert captured.err == ""


def test_warn(capsys):
    report.warn("low")
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "warning: low\n"


def test_reads_twice(capsys):
    report.hello()
    assert capsys.readouterr().out == "Hello, World!\n"
    report.hello("Ann")
    assert capsys.readouterr().out.splitlines() == ["Hello, Ann!"]
    assert capsys.readouterr().out == ""


def test_redirect():
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        assert report.hello("Bob") == 3
    assert "Bob" in buffer.getvalue()


def test_redirect_stderr():
    buffer = io.StringIO()
    with contextlib.redirect_stderr(buffer):
        report.warn("x")
    assert buffer.getvalue().strip() == "warning: x"


def test_order_with_callback(capsys):
    report.progress(2, lambda n: print(n, end=""))
    assert capsys.readouterr().out == ".1.2\n"

import logging

import service


def test_failed_login(caplog):
    assert service.login("ann", "x") is False
    assert "login of ann failed" in caplog.text
    assert caplog.records[-1].levelname == "WARNING"
    assert len(caplog.records) == 1


def test_audit_is_hidden_by_default(caplog):
    assert service.login("ann", "secret")
    assert caplog.messages == []


def test_levels(caplog):
    caplog.set_level(logging.DEBUG)
    service.login("bob", "secret")
    assert caplog.record_tuples == [
        ("service", logging.DEBUG, "checking bob"),
        ("audit", logging.INFO, "login bob"),
    ]


def test_at_level(caplog):
    with caplog.at_level(logging.INFO, logger="audit"):
        service.login("eve", "secret")
    assert [r.name for r in caplog.records] == ["audit"]


def test_clear(caplog):
    service.crash()
    assert caplog.messages == ["division"]
    caplog.clear()
    assert caplog.records == []

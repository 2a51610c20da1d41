import os
from unittest import mock

import pytest

from config import Config


@pytest.fixture
def config():
    return Config()


def test_default(config, monkeypatch):
    monkeypatch.delenv("APP_PORT", raising=False)
    assert config.get("port", 80) == 80


def test_kinds(config, monkeypatch):
    monkeypatch.setenv("APP_PORT", "8080")
    monkeypatch.setenv("APP_DEBUG", "Yes")
    assert config.get("port", kind=int) == 8080
    assert config.get("debug", kind=bool) is True


def test_require(config):
    with mock.patch.dict(os.environ, {"APP_KEY": "k"}):
        assert config.require("key") == "k"
    with pytest.raises(LookupError, match="APP_KEY is not set"):
        config.require("key")


@mock.patch.dict(os.environ, {"X_A": "1"}, clear=True)
def test_prefix():
    assert Config("X_").get("a") == "1"
    assert Config("Y_").get("a") is None


def test_undone():
    assert "APP_PORT" not in os.environ

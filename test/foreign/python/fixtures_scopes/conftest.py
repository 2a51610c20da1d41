import pytest

from ledger import Ledger


@pytest.fixture(scope="session")
def currency():
    return "EUR"


@pytest.fixture
def amounts():
    return [1, 2]


@pytest.fixture
def make_ledger(request, currency):
    made = []

    def make(name="main"):
        one = Ledger(name + "-" + currency)
        made.append(one)
        return one

    yield make
    for one in made:
        one.close()
        assert not one.is_open

import pytest

from ledger import Ledger

created = []


@pytest.fixture(scope="module")
def shared():
    ledger = Ledger("shared")
    created.append(ledger)
    yield ledger
    ledger.close()


@pytest.fixture
def amounts(amounts):
    return amounts + [3]


@pytest.fixture(autouse=True)
def check_shared_is_single():
    yield
    assert len(created) <= 1


@pytest.fixture(params=["food", "rent"])
def tag(request):
    return request.param


def test_factory(make_ledger):
    assert make_ledger("a").name == "a-EUR"
    assert make_ledger().balance == 0


def test_override(make_ledger, amounts):
    ledger = make_ledger()
    for amount in amounts:
        ledger.add(amount)
    assert ledger.balance == 6


def test_shared_one(shared):
    assert shared.add(5) == 5


def test_shared_two(shared):
    assert shared.add(5) == 10


def test_tags(make_ledger, tag):
    ledger = make_ledger()
    ledger.add(4, tag)
    ledger.add(5, "other")
    assert ledger.by_tag(tag) == [4]


@pytest.mark.usefixtures("make_ledger")
class TestClosed:
    @pytest.fixture
    def ledger(self):
        ledger = Ledger("c")
        ledger.close()
        return ledger

    def test_add(self, ledger):
        with pytest.raises(RuntimeError, match="closed"):
            ledger.add(1)

    def test_lookup(self, request):
        assert request.getfixturevalue("ledger").balance == 0
        assert request.node.name == "test_lookup"


@pytest.mark.parametrize("start", [0, 10], indirect=True)
def test_indirect(start):
    assert start.add(1) == start.by_tag("start")[0] + 1


@pytest.fixture
def start(request):
    ledger = Ledger("i")
    ledger.add(request.param, "start")
    return ledger

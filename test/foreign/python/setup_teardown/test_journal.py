from journal import Journal

order = []
journal = None


def setup_module(module):
    global journal
    journal = Journal()
    order.append("module")


def teardown_module():
    journal.clear()
    assert journal.lines == []


def setup_function(function):
    order.append(function.__name__)
    journal.write("start " + function.__name__)


def teardown_function():
    journal.clear()


def test_first():
    assert journal.search("first") == [1]
    assert order == ["module", "test_first"]


def test_second():
    assert journal.write(" x ") == 2
    assert journal.lines[1] == "x"


class TestJournal:
    @classmethod
    def setup_class(cls):
        cls.shared = Journal()

    def setup_method(self, method):
        self.own = Journal()
        self.shared.write(method.__name__)

    def teardown_method(self):
        self.own.clear()
        assert self.own.lines == []

    @classmethod
    def teardown_class(cls):
        assert len(cls.shared.lines) == 2

    def test_a(self):
        assert self.shared.lines == ["test_a"]
        assert self.own.lines == []

    def test_b(self):
        assert self.shared.search("test") == [1, 2]

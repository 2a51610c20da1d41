import unittest
from unittest import mock
from unittest.mock import MagicMock

from pipeline import Events, compose, group_by, retry


class ComposeTest(unittest.TestCase):
    def test_order(self):
        self.assertEqual(compose(lambda x: x + 1, lambda x: x * 2)(3), 8)

    def test_nothing(self):
        self.assertEqual(compose()("same"), "same")

    def test_builtins(self):
        self.assertEqual(compose(sorted, list, len)({3, 1}), 2)


class RetryTest(unittest.TestCase):
    def test_succeeds_later(self):
        function = MagicMock(side_effect=[OSError("one"), OSError("two"), "fine"])
        seen = []
        self.assertEqual(retry(function, 3, lambda n, e: seen.append((n, str(e)))), "fine")
        self.assertEqual(seen, [(1, "one"), (2, "two")])
        self.assertEqual(function.call_count, 3)

    def test_gives_up(self):
        function = mock.Mock(side_effect=KeyError("k"))
        with self.assertRaises(KeyError):
            retry(function, 2)
        self.assertEqual(function.mock_calls, [mock.call(), mock.call()])

    def test_does_not_call_again(self):
        function = mock.Mock(return_value=1)
        retry(function, 5)
        function.assert_called_once_with()


class GroupTest(unittest.TestCase):
    def test_group(self):
        self.assertDictEqual(group_by(["a", "bb", "c"], len), {1: ["a", "c"], 2: ["bb"]})

    def test_count_equal(self):
        self.assertCountEqual(group_by(range(6), lambda n: n % 3), [2, 1, 0])


class EventsTest(unittest.TestCase):
    def setUp(self):
        self.events = Events()
        self.addCleanup(setattr, self, "events", None)

    def test_arguments(self):
        handler = MagicMock(return_value="r")
        self.events.on("save", handler)
        self.assertEqual(self.events.emit("save", 1, mode="w"), ["r"])
        handler.assert_called_once_with(1, mode="w")

    def test_unknown_event(self):
        self.assertEqual(self.events.emit("nothing"), [])

    def test_decorator(self):
        @lambda f: self.events.on("x", f)
        def doubled(n):
            return n * 2

        self.assertEqual(self.events.emit("x", 4), [8])
        self.assertEqual(doubled(1), 2)

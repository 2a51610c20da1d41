import io
import unittest
from unittest.mock import call, patch

from game import cheer, show


class GameTest(unittest.TestCase):
    @patch("sys.stdout", new_callable=io.StringIO)
    def test_show(self, stdout):
        show(["ab", "cd"])
        self.assertEqual(stdout.getvalue(), "ab\ncd\n")

    @patch("builtins.print")
    def test_cheer(self, printed):
        cheer("Ann", 2)
        printed.assert_called_once_with("Go", "Ann", sep=" ", end="!!\n")

    @patch("builtins.print")
    def test_silent(self, printed):
        cheer("")
        printed.assert_not_called()

    def test_rows(self):
        with patch("builtins.print") as printed:
            show([["x", "o"], ["o"]])
        self.assertEqual(printed.mock_calls, [call("xo"), call("o")])

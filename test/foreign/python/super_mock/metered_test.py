import unittest
from unittest.mock import NonCallableMagicMock, patch

from metered import Metered
from test_utils import SuperMock

TEXT = b"one two three"


class MeteredTest(unittest.TestCase):
    @patch("metered.super", create=True, new_callable=SuperMock)
    def test_init(self, super_mock):
        super_mock.mock_object = NonCallableMagicMock()
        file = Metered(TEXT)
        self.assertEqual(1, super_mock.called)
        self.assertEqual((file.read_bytes, file.read_ops), (0, 0))

    @patch("metered.super", create=True, new_callable=SuperMock)
    def test_read(self, super_mock):
        super_mock.mock_object = NonCallableMagicMock()
        file = Metered()
        mock = super_mock.mock_object = NonCallableMagicMock()
        mock.read.side_effect = [b"abc", b""]
        self.assertEqual(file.read(3), b"abc")
        self.assertEqual(file.read(3), b"")
        mock.read.assert_called_with(3)
        self.assertEqual(file.read_bytes, 3)
        self.assertEqual(file.read_ops, 2)

    @patch("metered.super", create=True, new_callable=SuperMock)
    def test_exit_is_passed_on(self, super_mock):
        super_mock.mock_object = NonCallableMagicMock()
        file = Metered()
        mock = super_mock.mock_object = NonCallableMagicMock()
        mock.__exit__.return_value = True
        with file:
            raise ValueError("swallowed")
        self.assertEqual(mock.__exit__.call_count, 1)

    def test_real(self):
        with Metered(TEXT) as file:
            self.assertEqual(file.read(), TEXT)
            self.assertEqual(file.read_bytes, len(TEXT))

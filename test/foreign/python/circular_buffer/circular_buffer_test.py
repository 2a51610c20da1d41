# These tests are in the manner of generated ones.
import unittest

from circular_buffer import (
    CircularBuffer,
    BufferEmptyException,
    BufferFullException,
)


class CircularBufferTest(unittest.TestCase):
    def test_reading_empty_buffer_should_fail(self):
        buf = CircularBuffer(1)
        with self.assertRaises(BufferError) as err:
            buf.read()
        self.assertEqual(type(err.exception), BufferEmptyException)
        self.assertEqual(err.exception.args[0], "Circular buffer is empty")

    def test_can_read_an_item_just_written(self):
        buf = CircularBuffer(1)
        buf.write("1")
        self.assertEqual(buf.read(), "1")

    def test_items_are_read_in_the_order_they_are_written(self):
        buf = CircularBuffer(2)
        buf.write("1")
        buf.write("2")
        self.assertEqual(buf.read(), "1")
        self.assertEqual(buf.read(), "2")

    def test_full_buffer_can_t_be_written_to(self):
        buf = CircularBuffer(1)
        buf.write("1")
        with self.assertRaises(BufferError) as err:
            buf.write("2")
        self.assertEqual(type(err.exception), BufferFullException)
        self.assertEqual(err.exception.args[0], "Circular buffer is full")

    def test_overwrite_replaces_the_oldest(self):
        buf = CircularBuffer(2)
        buf.write("1")
        buf.write("2")
        buf.overwrite("A")
        self.assertEqual(buf.read(), "2")
        self.assertEqual(buf.read(), "A")

    def test_clear(self):
        buf = CircularBuffer(1)
        buf.write("1")
        buf.clear()
        with self.assertRaises(BufferError):
            buf.read()
        buf.write("2")
        self.assertEqual(buf.read(), "2")

    def test_overwrite_with_space(self):
        buf = CircularBuffer(2)
        buf.overwrite("x")
        self.assertEqual(buf.read(), "x")

import time
import unittest
from unittest import mock

import stopwatch


class StopwatchTest(unittest.TestCase):
    @mock.patch("time.monotonic", side_effect=[10.0, 12.5])
    def test_elapsed(self, monotonic):
        watch = stopwatch.Stopwatch()
        watch.start()
        self.assertEqual(watch.elapsed(), 2.5)

    def test_not_started(self):
        with self.assertRaises(RuntimeError):
            stopwatch.Stopwatch().elapsed()

    @mock.patch("stopwatch.datetime")
    def test_greeting(self, fake):
        fake.now.return_value.hour = 9
        self.assertEqual(stopwatch.greeting(), "Good morning")
        fake.now.return_value.hour = 12
        self.assertEqual(stopwatch.greeting(), "Good evening")

    def test_wait(self):
        condition = mock.Mock(side_effect=[False, False, True])
        with mock.patch.object(time, "sleep") as sleep:
            self.assertEqual(stopwatch.wait_for(condition), 2)
        self.assertEqual(sleep.call_args_list, [mock.call(1), mock.call(2)])

    @mock.patch("time.sleep")
    def test_gives_up(self, sleep):
        with self.assertRaises(TimeoutError):
            stopwatch.wait_for(lambda: False, attempts=2)
        self.assertEqual(sleep.call_count, 2)

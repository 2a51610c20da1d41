import unittest

import jobs


def fail():
    raise ValueError("broken")


class JobsTest(unittest.TestCase):
    def test_done(self):
        with self.assertLogs("jobs.runner", level="INFO") as captured:
            self.assertEqual(jobs.run({"a": lambda: None}), 1)
        self.assertEqual(captured.output, ["INFO:jobs.runner:a done"])

    def test_failed(self):
        with self.assertLogs("jobs", level="ERROR") as captured:
            self.assertEqual(jobs.run({"a": fail, "b": lambda: 1}), 1)
        self.assertEqual(len(captured.records), 1)
        self.assertEqual(captured.records[0].getMessage(), "a failed: broken")

    def test_root(self):
        with self.assertLogs(level="INFO") as captured:
            jobs.run({"x": fail, "y": lambda: 1})
        self.assertEqual([one.levelname for one in captured.records], ["ERROR", "INFO"])

    @unittest.skipUnless(hasattr(unittest.TestCase, "assertNoLogs"), "needs 3.10")
    def test_nothing(self):
        with self.assertNoLogs("jobs.runner"):
            jobs.run({})

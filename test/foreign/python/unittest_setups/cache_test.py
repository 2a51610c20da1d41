import unittest

from cache import Cache

steps = []


def setUpModule():
    steps.append("module")


def tearDownModule():
    steps.clear()


class Base(unittest.TestCase):
    size = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = Cache(cls.size)
        cls.addClassCleanup(cls.shared.close)

    def setUp(self):
        self.cache = Cache(self.size)
        self.addCleanup(self._check_closed)
        self.addCleanup(self.cache.close)

    def _check_closed(self):
        self.assertTrue(self.cache.closed)

    def test_module_is_set_up(self):
        self.assertEqual(steps, ["module"])


class SmallTest(Base):
    def test_forgets_oldest(self):
        for key in "abc":
            self.cache.put(key, key.upper())
        self.assertIsNone(self.cache.get("a"))
        self.assertEqual(self.cache.get("c"), "C")

    def test_use_keeps(self):
        self.cache.put("a", 1)
        self.cache.put("b", 2)
        self.cache.get("a")
        self.cache.put("c", 3)
        self.assertEqual(self.cache.get("a"), 1)
        self.assertIs(self.cache.get("b", self), self)

    def test_shared_a(self):
        self.assertFalse(self.shared.closed)
        self.shared.put(1, 1)

    def test_shared_b(self):
        self.assertEqual(self.shared.get(1), 1)


class LargeTest(Base):
    size = 100

    def test_keeps_all(self):
        for number in range(100):
            self.cache.put(number, number)
        self.assertEqual(sum(self.cache.get(n) for n in range(100)), 4950)
        self.assertGreaterEqual(Cache.instances, 2)

    @unittest.expectedFailure
    def test_not_endless(self):
        for number in range(101):
            self.cache.put(number, number)
        self.assertEqual(self.cache.get(0), 0)

    @unittest.skipIf(True, "always")
    def test_skipped(self):
        self.fail("never")

    def test_skips_itself(self):
        self.skipTest("later")

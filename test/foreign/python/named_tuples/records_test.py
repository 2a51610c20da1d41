import unittest
from collections import Counter, OrderedDict, deque

from records import Employee, Point, count_words, index, last, ordered, swap


class RecordsTest(unittest.TestCase):
    def test_point(self):
        point = Point(1, 2)
        self.assertEqual(point, (1, 2))
        self.assertEqual(point.x, 1)
        self.assertEqual(Point(5), Point(5, 0))
        self.assertIsInstance(point, tuple)

    def test_swap(self):
        self.assertEqual(swap(Point(1, 2)), Point(2, 1))
        self.assertEqual(swap(Point(1, 2))._asdict(), {"x": 2, "y": 1})

    def test_unpacking(self):
        name, salary = Employee("Ann", 1200)
        self.assertEqual((name, salary), ("Ann", 1200))
        self.assertAlmostEqual(Employee("Ann", 1000).monthly, 83.333, places=3)
        self.assertEqual(Employee("Bob"), ("Bob", 0.0))

    def test_counter(self):
        counted = count_words("a B b A a")
        self.assertEqual(counted, {"a": 3, "b": 2})
        self.assertEqual(counted.most_common(1), [("a", 3)])
        self.assertIsInstance(counted, Counter)
        self.assertEqual(counted["zzz"], 0)

    def test_index(self):
        self.assertEqual(index(["ab", "b", "ac"]), {"a": [0, 2], "b": [1]})
        self.assertEqual(index([])["new"], [])

    def test_last(self):
        self.assertEqual(last(range(5), 2), deque([3, 4]))
        self.assertEqual(last("ab", 9).maxlen, 9)

    def test_ordered(self):
        self.assertEqual(ordered({"b": 1, "a": 2}.items()), OrderedDict([("a", 2), ("b", 1)]))

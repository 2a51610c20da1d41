import dataclasses
import unittest

from points import Money, Release, Version


class VersionTest(unittest.TestCase):
    def test_equality(self):
        self.assertEqual(Version(1, 2), Version(1, 2))
        self.assertNotEqual(Version(1, 2), Version(1, 3))
        self.assertEqual(Version(1), Version(1, 0))

    def test_order(self):
        self.assertLess(Version(1, 9), Version(2))
        self.assertGreaterEqual(Version(2, 1), Version(2, 1))
        self.assertEqual(
            sorted([Version(2), Version(1, 5), Version(1)]), [Version(1), Version(1, 5), Version(2)]
        )

    def test_frozen(self):
        version = Version(1)
        with self.assertRaises(AttributeError):
            version.major = 2
        self.assertEqual(version.bump(), Version(1, 1))

    def test_hash(self):
        self.assertEqual(len({Version(1), Version(1, 0), Version(2)}), 2)

    def test_repr(self):
        self.assertEqual(repr(Version(1, 2)), "Version(major=1, minor=2)")


class ReleaseTest(unittest.TestCase):
    def test_notes_are_not_shared(self):
        one, other = Release(Version(1)), Release(Version(1))
        one.add("fix").add("more")
        self.assertListEqual(one.notes, ["fix", "more"])
        self.assertListEqual(other.notes, [])

    def test_secret_is_left_out(self):
        self.assertEqual(Release(Version(1), [], "a"), Release(Version(1), [], "b"))
        self.assertNotIn("secret", repr(Release(Version(1))))


class MoneyTest(unittest.TestCase):
    def test_arithmetic(self):
        self.assertEqual(Money(150) + Money(50), Money(200))
        self.assertEqual(-Money(5), Money(-5))

    def test_order(self):
        self.assertTrue(Money(1) < Money(2) <= Money(2))
        self.assertEqual(max(Money(3), Money(7)), Money(7))
        with self.assertRaises(TypeError):
            Money(1) < 2

    def test_text_and_truth(self):
        self.assertEqual(str(Money(1205)), "12.05")
        self.assertFalse(Money(0))
        self.assertTrue(Money(1))

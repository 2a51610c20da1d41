import math
import unittest

import codec


class CodecTest(unittest.TestCase):
    def test_sets(self):
        self.assertEqual(codec.unique(["A", "a", "b"]), frozenset({"a", "b"}))
        self.assertIsInstance(codec.unique([]), frozenset)
        self.assertSetEqual(codec.groups(["ab", "ba", "c"]), {frozenset("ab"), frozenset("c")})
        self.assertTrue(codec.unique("ab") <= {"a", "b", "c"})

    def test_bytes(self):
        self.assertEqual(codec.xor(b"\x01\x02\x03", b"\xff\x00"), b"\xfe\x02\xfc")
        self.assertIsInstance(codec.xor(b"", b"k"), bytes)
        self.assertEqual(codec.xor(codec.xor(b"text", b"key"), b"key"), b"text")

    def test_bytearray_in_place(self):
        buffer = bytearray(b"hello")
        self.assertIs(codec.patch(buffer, 1, b"EY"), buffer)
        self.assertEqual(buffer, b"hEYlo")

    def test_complex(self):
        one, other = codec.roots(1, 0, 1)
        self.assertAlmostEqual(one, 1j)
        self.assertAlmostEqual(other, -1j)
        self.assertIsInstance(one, complex)

    def test_nan(self):
        self.assertEqual(codec.clean([1.0, float("nan"), None]), [1.0, None, None])
        self.assertTrue(math.isnan(codec.divide(0, 0)))
        self.assertEqual(codec.divide(1, 0), math.inf)
        self.assertEqual(codec.divide(1, 2), 0.5)

    def test_window(self):
        self.assertEqual(codec.window(b"abcde", 2), [b"ab", b"cd", b"e"])

import unittest

from graph import Graph


class GraphTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = Graph([("a", "b", 7), ("a", "c", 1), ("c", "b", 2), ("d", "e")])

    def test_len_and_in(self):
        self.assertEqual(len(self.graph), 5)
        self.assertIn("a", self.graph)
        self.assertNotIn("z", self.graph)

    def test_reach(self):
        self.assertEqual(self.graph.reach("a"), {"a", "b", "c"})
        self.assertSetEqual(self.graph.reach("e"), {"d", "e"})

    def test_shortest(self):
        self.assertEqual(self.graph.shortest("a", "b"), (3, ("a", "c", "b")))
        self.assertTupleEqual(self.graph.shortest("a", "a"), (0, ("a",)))

    def test_no_path(self):
        with self.assertRaisesRegex(ValueError, r"no path"):
            self.graph.shortest("a", "e")

    def test_chaining(self):
        graph = Graph().connect(1, 2).connect(2, 3, weight=5)
        self.assertEqual(graph.shortest(1, 3)[0], 6)

    def test_weights(self):
        self.assertDictEqual(self.graph.edges["c"], {"a": 1, "b": 2})

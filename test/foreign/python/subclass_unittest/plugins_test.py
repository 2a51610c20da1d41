import unittest

from plugins import Plugin, run_all


class Upper(Plugin):
    priority = 5

    def handle(self, text):
        return text.upper()


class Bang(Plugin):
    def handle(self, text):
        return text + "!a"


class PluginsTest(unittest.TestCase):
    def test_registered(self):
        self.assertEqual(set(Plugin.registry), {"upper", "bang"})
        self.assertIsInstance(Plugin.create("upper"), Upper)

    def test_order(self):
        self.assertEqual(run_all("x"), "X!a")

    def test_abstract(self):
        with self.assertRaises(NotImplementedError) as caught:
            Plugin().handle("")
        self.assertEqual(str(caught.exception), "Plugin")

    def test_unknown(self):
        with self.assertRaises(KeyError):
            Plugin.create("nothing")

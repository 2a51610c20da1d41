import unittest

import units


class UnitsTest(unittest.TestCase):
    def test_negative(self):
        with self.assertWarns(RuntimeWarning) as caught:
            self.assertAlmostEqual(units.inches(-2.54), -1)
        self.assertEqual(str(caught.warning), "negative length")

    def test_feet(self):
        with self.assertWarnsRegex(FutureWarning, "goes away$"):
            self.assertAlmostEqual(units.feet(30.48), 1.0)

    def test_callable_form(self):
        self.assertWarns(FutureWarning, units.feet, 1)

    def test_positive(self):
        self.assertAlmostEqual(units.inches(5.08), 2.0, delta=1e-9)

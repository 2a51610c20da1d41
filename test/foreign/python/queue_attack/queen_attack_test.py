import unittest
from queen_attack import Queen


class QueenAttackTest(unittest.TestCase):
    def test_valid(self):
        Queen(2, 2)

    def test_row_not_positive(self):
        with self.assertRaises(ValueError) as err:
            Queen(-2, 2)
        self.assertEqual(type(err.exception), ValueError)
        self.assertEqual(err.exception.args[0], "row not positive")

    def test_row_not_on_board(self):
        with self.assertRaises(ValueError) as err:
            Queen(8, 4)
        self.assertEqual(err.exception.args[0], "row not on board")

    def test_column_not_on_board(self):
        with self.assertRaises(ValueError) as err:
            Queen(4, 8)
        self.assertEqual(err.exception.args[0], "column not on board")

    def test_cannot_attack(self):
        self.assertIs(Queen(2, 4).can_attack(Queen(6, 6)), False)

    def test_same_row(self):
        self.assertIs(Queen(2, 4).can_attack(Queen(2, 6)), True)

    def test_diagonal(self):
        for other in [Queen(0, 6), Queen(3, 1), Queen(1, 1), Queen(5, 5)]:
            with self.subTest(row=other.row):
                self.assertIs(Queen(2, 2).can_attack(other) if other.row != 0 else True, True)

    def test_same_square(self):
        with self.assertRaisesRegex(ValueError, "same square$"):
            Queen(2, 2).can_attack(Queen(2, 2))

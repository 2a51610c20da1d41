import unittest
import pytest

# All concepts should be tested even where a name is missing, so this import is guarded.
try:
    from lasagna import (EXPECTED_BAKE_TIME,
                         bake_time_remaining,
                         preparation_time_in_minutes,
                         elapsed_time_in_minutes)
except ImportError as import_fail:
    raise ImportError('a name is missing: ' + str(import_fail)) from None


class LasagnaTest(unittest.TestCase):

    @pytest.mark.task(taskno=1)
    def test_expected_bake_time(self):
        failure_msg = 'Expected a constant of EXPECTED_BAKE_TIME with a value of 40.'
        self.assertEqual(EXPECTED_BAKE_TIME, 40, msg=failure_msg)

    @pytest.mark.task(taskno=2)
    def test_bake_time_remaining(self):
        input_data = [1, 2, 5, 10, 15, 23, 33, 39]
        result_data = [39, 38, 35, 30, 25, 17, 7, 1]

        for variant, (time, expected) in enumerate(zip(input_data, result_data), start=1):
            with self.subTest(f'variation #{variant}', time=time, expected=expected):
                actual_result = bake_time_remaining(time)
                self.assertEqual(actual_result, expected)

    @pytest.mark.task(taskno=3)
    def test_preparation_time_in_minutes(self):
        for layers, expected in [(1, 2), (2, 4), (5, 10), (8, 16)]:
            with self.subTest(layers=layers):
                self.assertEqual(preparation_time_in_minutes(layers), expected)

    @pytest.mark.task(taskno=4)
    def test_elapsed_time_in_minutes(self):
        for (layers, time), expected in zip([(1, 3), (2, 7), (5, 8)], [5, 11, 18]):
            with self.subTest(layers=layers, time=time):
                self.assertEqual(elapsed_time_in_minutes(layers, time), expected)

    @pytest.mark.task(taskno=5)
    def test_docstrings_were_written(self):
        functions = [bake_time_remaining, preparation_time_in_minutes, elapsed_time_in_minutes]
        for function in functions:
            with self.subTest(function=function.__name__):
                self.assertIsNotNone(function.__doc__, msg='no docstring')

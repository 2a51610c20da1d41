"""Examples of words.

>>> from words import plural, title, positions
>>> plural('cat')
'cats'
>>> plural('box')
'boxes'
>>> [plural(w) for w in ('city', 'day')]
['cities', 'days']
>>> plural(None)
Traceback (most recent call last):
    ...
AttributeError: 'NoneType' object has no attribute 'endswith'
"""
import doctest
import sys
import unittest


def titles():
    """
    >>> from words import title
    >>> title('the old  man')
    'The Old Man'
    >>> title('')
    ''
    """


def places():
    """
    >>> from words import positions
    >>> positions('banana', 'a')
    [1, 3, 5]
    >>> positions('banana', 'x') == []
    True
    """


def load_tests(loader, tests, ignore):
    tests.addTests(doctest.DocTestSuite(sys.modules[__name__]))
    return tests


if __name__ == "__main__":
    unittest.main()

import unittest

from simple_linked_list import LinkedList, EmptyListException


class SimpleLinkedListTest(unittest.TestCase):
    def test_empty_list_has_len_zero(self):
        sut = LinkedList()
        self.assertEqual(len(sut), 0)

    def test_non_empty_list_has_correct_len(self):
        sut = LinkedList([1, 2, 3])
        self.assertEqual(len(sut), 3)

    def test_error_on_empty_list_head(self):
        sut = LinkedList()
        with self.assertRaises(EmptyListException) as err:
            sut.head()
        self.assertEqual(type(err.exception), EmptyListException)
        self.assertEqual(err.exception.args[0], "The list is empty.")

    def test_singleton_list_head_has_no_next(self):
        sut = LinkedList([1])
        self.assertIsNone(sut.head().next())

    def test_can_pop_from_non_empty_list(self):
        sut = LinkedList([3, 4, 5])
        self.assertEqual(sut.pop(), 5)
        self.assertEqual(len(sut), 2)
        self.assertEqual(sut.head().value(), 4)

    def test_pop_from_empty_list(self):
        with self.assertRaises(EmptyListException):
            LinkedList().pop()

    def test_push_and_pop(self):
        sut = LinkedList([1, 2])
        sut.push(3)
        self.assertEqual(len(sut), 3)
        self.assertEqual([sut.pop() for _ in range(3)], [3, 2, 1])

    def test_iterate(self):
        self.assertEqual(list(LinkedList([1, 3, 5])), [5, 3, 1])

    def test_reverse(self):
        sut = LinkedList([1, 2, 3])
        self.assertEqual(list(sut.reversed()), [1, 2, 3])
        self.assertEqual(list(sut), [3, 2, 1])

    def test_zero_is_a_value(self):
        sut = LinkedList([0])
        self.assertEqual(list(sut), [0])

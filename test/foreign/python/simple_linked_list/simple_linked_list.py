class EmptyListException(Exception):
    def __init__(self, message):
        self.message = message


class Node:
    def __init__(self, value, next=None):
        self._value, self._next = value, next

    def value(self):
        return self._value

    def next(self):
        return self._next


class LinkedList:
    def __init__(self, values=None):
        self._head, self._len = None, 0
        for value in values or []:
            self.push(value)

    def __iter__(self):
        node = self._head
        while node:
            yield node.value()
            node = node.next()

    def __len__(self):
        return self._len

    def head(self):
        if self._head is None:
            raise EmptyListException("The list is empty.")
        return self._head

    def push(self, value):
        self._head = Node(value, self._head)
        self._len += 1

    def pop(self):
        node = self.head()
        self._head = node.next()
        self._len -= 1
        return node.value()

    def reversed(self):
        return LinkedList(self)

struct Node<T> {
    value: T,
    next: Option<Box<Node<T>>>,
}

pub struct List<T> {
    head: Option<Box<Node<T>>>,
    length: usize,
}

impl<T> List<T> {
    pub fn new() -> Self {
        List { head: None, length: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn push(&mut self, value: T) {
        let next = self.head.take();
        self.head = Some(Box::new(Node { value, next }));
        self.length += 1;
    }

    pub fn pop(&mut self) -> Option<T> {
        let node = self.head.take()?;
        self.head = node.next;
        self.length -= 1;
        Some(node.value)
    }

    pub fn peek(&self) -> Option<&T> {
        self.head.as_ref().map(|node| &node.value)
    }

    pub fn reversed(mut self) -> List<T> {
        let mut list = List::new();
        while let Some(value) = self.pop() {
            list.push(value);
        }
        list
    }
}

impl<T> std::iter::FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = List::new();
        for item in items {
            list.push(item);
        }
        list
    }
}

impl<T> From<List<T>> for Vec<T> {
    fn from(mut list: List<T>) -> Vec<T> {
        let mut items = Vec::new();
        while let Some(value) = list.pop() {
            items.push(value);
        }
        items.reverse();
        items
    }
}

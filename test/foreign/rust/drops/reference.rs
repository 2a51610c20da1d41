use std::collections::VecDeque;

pub struct Pool<T> {
    items: VecDeque<T>,
    limit: usize,
}

impl<T> Pool<T> {
    pub fn new(limit: usize) -> Self {
        Pool { items: VecDeque::new(), limit }
    }

    pub fn put(&mut self, item: T) {
        if self.items.len() == self.limit {
            self.items.pop_front();
        }
        self.items.push_back(item);
    }

    pub fn take(&mut self) -> Option<T> {
        self.items.pop_back()
    }
}

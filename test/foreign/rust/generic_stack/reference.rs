pub struct Stack<T> {
    items: Vec<T>,
    limit: usize,
}

impl<T> Stack<T> {
    pub fn with_limit(limit: usize) -> Self {
        Stack { items: Vec::new(), limit }
    }

    pub fn push(&mut self, item: T) -> Result<(), T> {
        if self.items.len() >= self.limit {
            return Err(item);
        }
        self.items.push(item);
        Ok(())
    }

    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }
}

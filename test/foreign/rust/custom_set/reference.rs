#[derive(Debug, Clone)]
pub struct CustomSet<T> {
    items: Vec<T>,
}

impl<T: PartialEq + Clone> CustomSet<T> {
    pub fn new(items: &[T]) -> Self {
        let mut set = CustomSet { items: Vec::new() };
        for item in items {
            set.add(item.clone());
        }
        set
    }

    pub fn contains(&self, item: &T) -> bool {
        self.items.contains(item)
    }

    pub fn add(&mut self, item: T) {
        if !self.contains(&item) {
            self.items.push(item);
        }
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.items.iter().all(|item| other.contains(item))
    }

    pub fn intersection(&self, other: &Self) -> Self {
        CustomSet { items: self.items.iter().filter(|item| other.contains(item)).cloned().collect() }
    }
}

impl<T: PartialEq + Clone> PartialEq for CustomSet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_subset(other) && other.is_subset(self)
    }
}

#[derive(Debug)]
pub enum Tree<T> {
    Leaf,
    Node(Box<Tree<T>>, T, Box<Tree<T>>),
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Tree::Leaf
    }
}

impl<T: Ord> Tree<T> {
    pub fn insert(&mut self, new: T) -> bool {
        match self {
            Tree::Leaf => {
                *self = Tree::Node(Box::default(), new, Box::default());
                true
            }
            Tree::Node(left, value, right) => match new.cmp(value) {
                std::cmp::Ordering::Less => left.insert(new),
                std::cmp::Ordering::Equal => false,
                std::cmp::Ordering::Greater => right.insert(new),
            },
        }
    }

    pub fn contains(&self, wanted: &T) -> bool {
        match self {
            Tree::Leaf => false,
            Tree::Node(left, value, right) => value == wanted || left.contains(wanted) || right.contains(wanted),
        }
    }

    pub fn depth(&self) -> usize {
        match self {
            Tree::Leaf => 0,
            Tree::Node(left, _, right) => 1 + left.depth().max(right.depth()),
        }
    }

    pub fn values(&self) -> Vec<&T> {
        match self {
            Tree::Leaf => vec![],
            Tree::Node(left, value, right) => {
                let mut list = left.values();
                list.push(value);
                list.extend(right.values());
                list
            }
        }
    }

    pub fn len(&self) -> usize {
        self.values().len()
    }
}

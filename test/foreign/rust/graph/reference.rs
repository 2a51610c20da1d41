use std::collections::{HashMap, VecDeque};

#[derive(Default)]
pub struct Graph<'a> {
    edges: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Graph<'a> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn connect(&mut self, from: &'a str, to: &'a str) {
        self.edges.entry(from).or_default().push(to);
    }

    pub fn neighbours<'b>(&'b self, node: &str) -> impl Iterator<Item = &'a str> + 'b {
        self.edges.get(node).into_iter().flatten().copied()
    }

    pub fn path(&self, from: &'a str, to: &'a str) -> Option<Vec<&'a str>> {
        let mut before: HashMap<&str, &str> = HashMap::new();
        let mut waiting = VecDeque::from([from]);
        while let Some(node) = waiting.pop_front() {
            if node == to {
                let mut path = vec![node];
                let mut at = node;
                while at != from {
                    at = before[at];
                    path.push(at);
                }
                path.reverse();
                return Some(path);
            }
            for next in self.neighbours(node) {
                if next != from && !before.contains_key(next) {
                    before.insert(next, node);
                    waiting.push_back(next);
                }
            }
        }
        None
    }
}

use graph::Graph;
use std::collections::HashSet;

macro_rules! graph {
    ($($from:literal -> $to:literal),* $(,)?) => {{
        let mut graph = Graph::new();
        $( graph.connect($from, $to); )*
        graph
    }};
}

#[test]
fn neighbours() {
    let graph = graph! { "a" -> "b", "a" -> "c" };
    let set: HashSet<&str> = graph.neighbours("a").collect();
    assert_eq!(set, HashSet::from(["b", "c"]));
    assert_eq!(graph.neighbours("z").count(), 0);
}

#[test]
fn shortest_path() {
    let graph = graph! { "a" -> "b", "b" -> "c", "c" -> "d", "a" -> "c" };
    assert_eq!(graph.path("a", "d"), Some(vec!["a", "c", "d"]));
}

#[test]
fn no_path_back() {
    assert_eq!(graph!("a" -> "b").path("b", "a"), None);
}

#[test]
fn to_itself() {
    assert_eq!(graph!("a" -> "b").path("a", "a"), Some(vec!["a"]));
}

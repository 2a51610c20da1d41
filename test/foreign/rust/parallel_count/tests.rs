use std::collections::HashMap;
use std::sync::mpsc;
use std::thread;

use parallel_count::frequency;

fn sorted(map: HashMap<char, usize>) -> Vec<(char, usize)> {
    let mut list: Vec<_> = map.into_iter().collect();
    list.sort();
    list
}

#[test]
fn no_texts() {
    assert_eq!(frequency(&[], 4), HashMap::new());
}

#[test]
fn one_worker() {
    assert_eq!(sorted(frequency(&["ab", "a"], 1)), [('a', 2), ('b', 1)]);
}

#[test]
fn more_workers_than_texts() {
    assert_eq!(sorted(frequency(&["Zz!"], 8)), [('z', 2)]);
}

#[test]
fn the_same_with_any_number() {
    let texts = vec!["The quick brown fox"; 50];
    let expected = frequency(&texts, 1);
    for workers in 2..6 {
        assert_eq!(frequency(&texts, workers), expected, "{workers} workers");
    }
}

#[test]
fn can_be_called_from_threads() {
    let (send, receive) = mpsc::channel();
    for _ in 0..3 {
        let send = send.clone();
        thread::spawn(move || send.send(frequency(&["x"], 2)).unwrap());
    }
    drop(send);
    assert_eq!(receive.iter().map(|map| map[&'x']).sum::<usize>(), 3);
}

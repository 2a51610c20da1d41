use option_walk::{first_even, lookup, sum_all};
use std::collections::HashMap;

#[test]
fn finds_the_first() {
    assert_eq!(first_even(&[1, 4, 6]), Some(&4));
}

#[test]
fn finds_none() {
    assert_eq!(first_even(&[1, 3]), None);
    assert!(first_even(&[]).is_none());
}

#[test]
fn sums_or_stops() {
    assert_eq!(sum_all(vec![Some(1), Some(2)]), Some(3));
    assert_eq!(sum_all(vec![Some(1), None]), None);
}

#[test]
fn looks_up_twice() {
    let names = HashMap::from([("a", "b"), ("b", "c")]);
    assert_eq!(lookup(&names, "a"), Some("c"));
    assert_eq!(lookup(&names, "b"), None);
}

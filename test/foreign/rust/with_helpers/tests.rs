mod common;

use common::{assert_sorted, shuffled};
use with_helpers::insertion_sort;

#[test]
fn sorts_an_empty_list() {
    let mut list: Vec<i32> = vec![];
    insertion_sort(&mut list);
    assert!(list.is_empty());
}

#[test]
fn sorts_what_is_shuffled() {
    for seed in 1..20 {
        let mut list = shuffled(30, seed);
        insertion_sort(&mut list);
        assert_sorted(&list);
    }
}

#[test]
fn keeps_every_element() {
    let mut list = vec![3, 1, 3, 2];
    insertion_sort(&mut list);
    assert_eq!(list, common::data::EXPECTED);
}

#[test]
fn sorts_texts_as_well() {
    let mut words = ["pear", "fig", "apple"];
    insertion_sort(&mut words);
    assert_eq!(words, ["apple", "fig", "pear"]);
}

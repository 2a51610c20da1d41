#[macro_use]
extern crate old_style;

use old_style::*;
use std::collections::HashMap;

#[test]
fn an_empty_map() {
    let map: HashMap<u32, u32> = map! {};
    assert!(map.is_empty());
}

#[test]
fn two_entries() {
    let map = map! { "a" => 1, "b" => 2 };
    assert_eq!(map.len(), 2);
    assert_eq!(map.get("b"), Some(&2));
}

#[test]
fn a_trailing_comma() {
    assert_eq!(map! { 1 => 'x', }, map! { 1 => 'x' });
}

#[test]
fn inverts() {
    let inverse = inverted(&map! { "a" => 1 });
    assert_eq!(inverse[&1], "a");
}

use linked_list::List;

#[test]
fn new_lists_are_empty() {
    let list: List<u8> = List::new();
    assert!(list.is_empty());
    assert_eq!(list.len(), 0);
    assert_eq!(list.peek(), None);
}

#[test]
fn the_last_is_popped_first() {
    let mut list = List::new();
    list.push("a");
    list.push("b");
    assert_eq!(list.pop(), Some("b"));
    assert_eq!(list.pop(), Some("a"));
    assert_eq!(list.pop(), None);
}

#[test]
fn peek_leaves_it() {
    let mut list = List::new();
    list.push(5);
    assert_eq!(list.peek(), Some(&5));
    assert_eq!(list.len(), 1);
}

#[test]
fn is_reversed() {
    let list: List<i32> = (1..=3).collect();
    let reversed: Vec<i32> = list.reversed().into();
    assert_eq!(reversed, [3, 2, 1]);
}

#[test]
fn becomes_a_vector_in_the_order_of_pushes() {
    let list: List<i32> = vec![4, 5, 6].into_iter().collect();
    assert_eq!(Vec::from(list), vec![4, 5, 6]);
}

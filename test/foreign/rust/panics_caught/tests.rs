use panics_caught::{checked_index, divide};
use std::panic;

#[test]
fn divides() {
    assert_eq!(divide(9, 3), 3);
}

#[test]
#[should_panic]
fn panics_for_zero() {
    divide(1, 0);
}

#[test]
#[should_panic(expected = "cannot divide 7 by zero")]
fn says_what_is_divided() {
    divide(7, 0);
}

#[test]
fn the_panic_can_be_caught() {
    let result = panic::catch_unwind(|| divide(1, 0));
    assert!(result.is_err());
    let message = result.unwrap_err();
    let text = message.downcast_ref::<String>().map(String::as_str).unwrap_or("");
    assert!(text.starts_with("cannot"), "{:?}", text);
}

#[test]
fn does_not_panic_inside() {
    assert!(panic::catch_unwind(|| checked_index(&[1, 2], 5)).is_ok());
    assert_eq!(checked_index(&[1, 2], 1), Some(2));
}

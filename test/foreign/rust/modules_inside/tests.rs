use modules_inside::geometry::{self, plane::*};
use modules_inside::VERSION;

#[test]
fn items_of_modules() {
    assert_eq!(geometry::dimension(), 2);
    assert_eq!(VERSION, "1.0");
}

#[test]
fn constructors() {
    let origin = Vector::default();
    assert_eq!(origin, Vector { x: 0, y: 0 });
}

#[test]
fn operators() {
    let mut v = Vector { x: 1, y: 2 } + Vector { x: 3, y: 4 };
    assert_eq!(v, Vector { x: 4, y: 6 });
    v += Vector { x: 1, y: 1 };
    assert_eq!(-v, Vector { x: -5, y: -7 });
}

#[test]
fn scaling_from_both_sides() {
    assert_eq!(Vector { x: 1, y: 2 } * 3, 3 * Vector { x: 1, y: 2 });
}

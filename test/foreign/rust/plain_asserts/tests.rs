use plain_asserts::gcd;

#[test]
fn with_conditions() {
    assert!(gcd(12, 18) == 6);
    assert!(gcd(7, 5) == 1 && gcd(5, 7) == 1);
    assert!(gcd(10, 4) != 1, "they share a factor");
}

#[test]
fn with_order() {
    assert!(gcd(8, 4) >= 4);
    assert!(gcd(8, 4) < 5);
    debug_assert!(gcd(9, 3) <= 3);
}

#[test]
fn with_zero() {
    assert_eq!(gcd(0, 5), 5);
    debug_assert_eq!(gcd(5, 0), 5);
    debug_assert_ne!(gcd(5, 0), 0);
}

#[test]
fn with_paths() {
    std::assert_eq!(gcd(1, 1), 1);
    core::assert!(gcd(3, 6) == 3);
}

#[test]
fn with_closures() {
    let divides = |a: u32, b: u32| b % a == 0;
    assert!((1..30).all(|a| (1..30).all(|b| divides(gcd(a, b), a) && divides(gcd(a, b), b))));
}

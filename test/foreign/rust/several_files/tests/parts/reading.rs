use several_files::from_hex;

#[test]
fn reads_digits() {
    assert_eq!(from_hex("ff"), Some(255));
}

#[test]
fn reads_capitals() {
    assert_eq!(from_hex("FF"), Some(255));
}

#[test]
fn refuses_the_rest() {
    assert_eq!(from_hex("xyz"), None);
    assert_eq!(from_hex(""), None);
}

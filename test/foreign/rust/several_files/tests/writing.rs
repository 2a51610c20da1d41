use several_files::to_hex;

#[test]
fn writes_small_letters() {
    assert_eq!(to_hex(171), "ab");
}

#[test]
fn writes_zero() {
    assert_eq!(to_hex(0), "0");
}

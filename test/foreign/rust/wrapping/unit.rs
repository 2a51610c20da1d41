// Tests without a module around them.

use std::convert::TryInto;

#[test]
fn checksum_of_nothing() {
    assert_eq!(checksum(&[]), 0);
}

#[test]
fn wraps_around() {
    assert_eq!(checksum(&[255, 2]), 1);
}

#[test]
fn folds_words() {
    let bytes: [u8; 4] = 0x01020304u32.to_be_bytes();
    assert_eq!(checksum(&bytes), 10);
    let back: [u8; 4] = bytes[..].try_into().unwrap();
    assert_eq!(u32::from_be_bytes(back), 0x01020304);
}

#[test]
#[should_panic(expected = "overflow")]
fn the_strict_one_panics() {
    strict_checksum(&[255, 1]);
}

extern crate run_length as rl;

// encoding

#[test]
fn test_encode_empty() {
    assert_eq!("", rl::encode(""));
}

#[test]
fn test_encode_single_letters() {
    assert_eq!("XYZ", rl::encode("XYZ"));
}

#[test]
fn test_encode_runs() {
    assert_eq!("12WB3z", rl::encode("WWWWWWWWWWWWBzzz"));
}

// decoding

#[test]
fn test_decode_runs() {
    assert_eq!("AABCCCD", rl::decode("2AB3CD"));
}

#[test]
fn test_decode_large() {
    assert_eq!(rl::decode("100x").len(), 100);
}

#[test]
fn test_there_and_back() {
    let text = "zzz ZZ  zZ";
    assert_eq!(text, rl::decode(rl::encode(text).as_str()));
}

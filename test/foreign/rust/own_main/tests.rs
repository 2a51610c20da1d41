use own_main::{greeting, Options};

#[test]
fn greets_the_world() {
    assert_eq!(greeting(&Options::default()), "Hello, World!");
}

#[test]
fn greets_by_name() {
    let options = Options { name: Some("Ada".into()), ..Options::default() };
    assert_eq!(greeting(&options), "Hello, Ada!");
}

#[test]
fn shouts() {
    let options = Options { shout: true, ..Default::default() };
    assert_eq!(greeting(&options), "HELLO, WORLD!");
}

use lifetimes::{longest_line, Words};

#[test]
fn borrows_from_the_text() {
    let text = String::from("a\nlonger\nbb");
    let line: &str = longest_line(&text);
    assert_eq!(line, "longer");
    assert!(std::ptr::eq(line.as_ptr(), text[2..].as_ptr()));
}

#[test]
fn the_first_of_equals() {
    assert_eq!(longest_line("ab\ncd"), "ab");
}

#[test]
fn words_outlive_the_splitter() {
    let text = "one two";
    let second = {
        let mut words = Words::new(text);
        words.next();
        words.next()
    };
    assert_eq!(second, Some("two"));
}

#[test]
fn words_skip_spaces() {
    assert_eq!(Words::new("  x   y ").collect::<Vec<&str>>().join("|"), "x|y");
}

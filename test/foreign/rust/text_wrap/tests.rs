use text_wrap::wrap;

fn wrapped(text: &str, width: usize) -> String {
    wrap(text, width).join("\n")
}

#[test]
fn short_text_is_one_line() {
    assert_eq!(wrapped("a b", 10), "a b");
}

#[test]
fn breaks_between_words() {
    assert_eq!(
        wrapped("the quick brown fox", 10),
        "the quick\n\
         brown fox"
    );
}

#[test]
fn long_words_stay_whole() {
    let expected = r#"an
"extraordinarily"
long"#;
    assert_eq!(wrapped("an \"extraordinarily\" long", 5), expected);
}

#[test]
fn exactly_the_width() {
    assert_eq!(wrap("ab cd", 5), vec!["ab cd".to_owned()]);
}

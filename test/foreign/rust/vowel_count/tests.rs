use vowel_count::count_vowels;

#[test]
fn an_empty_text_has_none() {
    assert_eq!(count_vowels(""), 0);
}

#[test]
#[ignore]
fn counts_lower_case() {
    assert_eq!(count_vowels("orchard"), 2);
}

#[test]
#[ignore]
fn counts_upper_case_too() {
    assert_eq!(count_vowels("APPLE"), 2);
}

#[test]
#[ignore]
fn y_is_no_vowel() {
    assert_eq!(count_vowels("rhythm"), 0);
}

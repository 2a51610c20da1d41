use word_lengths as words;

#[test]
fn nothing() {
    assert!(words::lengths("").is_empty());
}

#[test]
fn one_word() {
    assert_eq!(words::lengths("tree").get(&4), Some(&1));
}

#[test]
fn several_words() {
    let lengths = words::lengths("a bee and a cat");
    assert_eq!(lengths.into_iter().collect::<Vec<_>>(), vec![(1, 2), (3, 3)]);
}

#[test]
fn letters_not_bytes() {
    assert_eq!(words::lengths("über").keys().copied().collect::<Vec<usize>>(), [4]);
}

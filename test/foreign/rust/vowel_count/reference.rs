pub fn count_vowels(text: &str) -> usize {
    text.chars()
        .filter(|letter| "aeiou".contains(letter.to_ascii_lowercase()))
        .count()
}

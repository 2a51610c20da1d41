use std::collections::BTreeMap;

pub fn lengths(text: &str) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word.chars().count()).or_insert(0) += 1;
    }
    counts
}

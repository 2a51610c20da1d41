use std::collections::HashMap;
use std::thread;

pub fn frequency(texts: &[&str], workers: usize) -> HashMap<char, usize> {
    let mut total = HashMap::new();
    let size = texts.len() / workers + 1;
    thread::scope(|scope| {
        let handles: Vec<_> = texts.chunks(size).map(|part| scope.spawn(move || count(part))).collect();
        for handle in handles {
            for (letter, count) in handle.join().unwrap() {
                *total.entry(letter).or_insert(0) += count;
            }
        }
    });
    total
}

fn count(texts: &[&str]) -> HashMap<char, usize> {
    let mut counts = HashMap::new();
    for letter in texts.iter().flat_map(|text| text.chars()).filter(|c| c.is_alphabetic()) {
        *counts.entry(letter.to_ascii_lowercase()).or_insert(0) += 1;
    }
    counts
}

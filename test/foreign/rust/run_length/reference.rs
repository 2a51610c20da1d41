pub fn encode(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut result = String::new();
    let mut at = 0;
    while at < letters.len() {
        let length = letters[at..].iter().take_while(|&&letter| letter == letters[at]).count();
        if length > 1 {
            result += &length.to_string();
        }
        result.push(letters[at]);
        at += length;
    }
    result
}

pub fn decode(text: &str) -> String {
    let mut result = String::new();
    let mut count = String::new();
    for letter in text.chars() {
        if letter.is_ascii_digit() {
            count.push(letter);
        } else {
            result += &letter.to_string().repeat(count.parse().unwrap_or(1));
            count.clear();
        }
    }
    result
}

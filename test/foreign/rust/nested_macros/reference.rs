#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Token {
    Number(u32),
    Plus,
}

pub fn parse(text: &str) -> Result<Vec<Token>, char> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(&letter) = letters.peek() {
        if let Some(digit) = letter.to_digit(10) {
            letters.next();
            let mut value = digit;
            while let Some(more) = letters.peek().and_then(|next| next.to_digit(10)) {
                value = value * 10 + more;
                letters.next();
            }
            tokens.push(Token::Number(value));
        } else {
            match letter {
                '+' => tokens.push(Token::Plus),
                ' ' => {}
                other => return Err(other),
            }
            letters.next();
        }
    }
    Ok(tokens)
}

#[derive(Default)]
pub struct Options {
    pub name: Option<String>,
    pub shout: bool,
}

pub fn greeting(options: &Options) -> String {
    let name = options.name.as_deref().unwrap_or("World");
    let text = format!("Hello, {name}!");
    if options.shout { text.to_uppercase() } else { text }
}

#[allow(dead_code)]
fn main() {
    println!("{}", greeting(&Options::default()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_answer_itself() {
        assert!(greeting(&Options::default()).starts_with("Hello"));
    }
}

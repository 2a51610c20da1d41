use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsePointError {
    Missing,
    NotANumber(String),
}

impl fmt::Display for ParsePointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParsePointError::Missing => write!(f, "a number is missing"),
            ParsePointError::NotANumber(text) => write!(f, "{:?} is no number", text),
        }
    }
}

impl std::error::Error for ParsePointError {}

fn number(text: &str) -> Result<i32, ParsePointError> {
    let text = text.trim();
    text.parse().map_err(|_| ParsePointError::NotANumber(text.to_string()))
}

impl FromStr for Point {
    type Err = ParsePointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (x, y) = text.split_once(',').ok_or(ParsePointError::Missing)?;
        Ok(Point { x: number(x)?, y: number(y)? })
    }
}

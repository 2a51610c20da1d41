use std::fmt;
use std::num::ParseFloatError;

#[derive(Debug)]
pub enum Error {
    Empty,
    Bad { position: usize, source: ParseFloatError },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self)
    }
}

impl std::error::Error for Error {}

pub fn average(text: &str) -> Result<f64, Error> {
    let mut sum = 0.0;
    let mut count = 0;
    for word in text.split_whitespace() {
        count += 1;
        sum += word.parse::<f64>().map_err(|source| Error::Bad { position: count, source })?;
    }
    if count == 0 { Err(Error::Empty) } else { Ok(sum / f64::from(count as u32)) }
}

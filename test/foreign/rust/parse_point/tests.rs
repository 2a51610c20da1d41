use parse_point::{ParsePointError, Point};
use std::error::Error;
use std::str::FromStr;

#[test]
fn parses_two_numbers() -> Result<(), Box<dyn Error>> {
    let point = Point::from_str("3,-4")?;
    assert_eq!(point, Point { x: 3, y: -4 });
    Ok(())
}

#[test]
fn allows_spaces() -> Result<(), ParsePointError> {
    let point: Point = " 1 , 2 ".parse()?;
    assert_eq!((point.x, point.y), (1, 2));
    Ok(())
}

#[test]
fn names_a_missing_part() {
    assert_eq!("3".parse::<Point>(), Err(ParsePointError::Missing));
}

#[test]
fn names_what_is_no_number() {
    match "3,x".parse::<Point>() {
        Err(ParsePointError::NotANumber(text)) => assert_eq!(text, "x"),
        other => panic!("unexpected: {:?}", other),
    }
}

#[test]
fn errors_can_be_shown() {
    let error: Box<dyn Error> = Box::new("".parse::<Point>().unwrap_err());
    assert!(!error.to_string().is_empty());
}

use result_chain::{average, Error};

type Outcome = Result<(), Error>;

#[test]
fn averages() -> Outcome {
    assert_eq!(average("1 2 6")?, 3.0);
    Ok(())
}

#[test]
fn one_number() -> Outcome {
    let value = average("5")?;
    if value == 5.0 { Ok(()) } else { Err(Error::Empty) }
}

#[test]
fn empty_input() {
    assert!(matches!(average("  "), Err(Error::Empty)));
}

#[test]
fn a_bad_number() {
    let Err(Error::Bad { position, source }) = average("1 x") else {
        panic!("that is no number");
    };
    assert_eq!(position, 2);
    assert_eq!(source, "x".parse::<f64>().unwrap_err());
}

#[test]
fn question_mark_converts() -> Result<(), Box<dyn std::error::Error>> {
    average("2 4")?;
    "3".parse::<u8>()?;
    Ok(())
}

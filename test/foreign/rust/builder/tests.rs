use builder::{BuildError, Request};

#[test]
fn needs_an_address() {
    assert_eq!(Request::builder().build().unwrap_err(), BuildError::NoAddress);
}

#[test]
fn has_defaults() -> Result<(), BuildError> {
    let request = Request::builder().address("http://a").build()?;
    assert_eq!(request.method(), "GET");
    assert_eq!(request.retries(), 0);
    assert_eq!(request.header("x"), None);
    Ok(())
}

#[test]
fn takes_all_settings() -> Result<(), BuildError> {
    let request = Request::builder()
        .address(String::from("http://a"))
        .method("POST")
        .retries(3)
        .header("X-One", "1")
        .header("x-two", "2")
        .build()?;
    assert_eq!(request.method(), "POST");
    assert_eq!(request.retries(), 3);
    assert_eq!(request.header("x-one"), Some("1"));
    Ok(())
}

#[test]
fn retries_are_limited() {
    let Err(error) = Request::builder().address("a").retries(11).build() else { panic!() };
    assert!(matches!(error, BuildError::TooManyRetries(11)), "{error:?}");
}

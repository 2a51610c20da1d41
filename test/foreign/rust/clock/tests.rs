use clock::Clock;

#[test]
fn shows_two_digits() {
    assert_eq!(Clock::new(8, 0).to_string(), "08:00");
}

#[test]
fn rolls_over() {
    assert_eq!(Clock::new(25, 160).to_string(), "03:40");
}

#[test]
fn negative_times() {
    assert_eq!(Clock::new(-1, -15).to_string(), "22:45");
}

#[test]
fn adds_minutes() {
    let clock = Clock::new(10, 0).add_minutes(61);
    assert_eq!(format!("{clock}"), "11:01");
}

#[test]
fn equal_however_made() {
    assert_eq!(Clock::new(10, 37), Clock::new(34, 37));
    assert_ne!(Clock::new(15, 36), Clock::new(15, 37));
}

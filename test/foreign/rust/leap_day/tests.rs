use leap_day::is_leap;

fn check(year: u32, expected: bool) {
    assert_eq!(is_leap(year), expected, "year {}", year);
}

#[test]
fn not_divisible_by_four() {
    check(2019, false);
}

#[test]
#[ignore = "not yet"]
fn far_future() {
    check(123_456_789, true);
}

#[test]
fn divisible_by_four() {
    check(1996, true);
}

#[test]
fn centuries_are_common() {
    check(1900, false);
    check(2100, false);
}

#[test]
fn every_fourth_century_is_leap() {
    check(2000, true);
    check(1600, true);
}

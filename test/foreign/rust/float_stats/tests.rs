use float_stats::{mean, variance, Summary};

const EPSILON: f64 = 1e-9;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < EPSILON
}

macro_rules! assert_close {
    ($a:expr, $b:expr) => {
        let (a, b) = ($a, $b);
        assert!((a - b).abs() < EPSILON, "{} is not close to {}", a, b);
    };
}

#[test]
fn mean_of_nothing() {
    assert!(mean(&[]).is_nan());
}

#[test]
fn mean_of_some() {
    assert_close!(mean(&[1.0, 2.0, 4.0]), 7.0 / 3.0);
}

#[test]
fn variance_of_a_sample() {
    assert_close!(variance(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), 32.0 / 7.0);
}

#[test]
fn summary_has_both() {
    let Summary { mean, deviation } = Summary::of(&[1.0, 3.0]);
    assert!(close(mean, 2.0) && close(deviation, 2f64.sqrt()));
}

#[test]
fn variance_is_never_negative() {
    assert!(variance(&[0.1; 10]) >= 0.0);
}

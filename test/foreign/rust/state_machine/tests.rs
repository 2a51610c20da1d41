use state_machine::{Light, Light::*};

#[test]
fn goes_round() {
    let mut light = Red;
    for expected in [Green, Yellow, Red] {
        light = light.next();
        assert_eq!(light, expected);
    }
}

#[test]
fn durations() {
    assert!([Red, Green, Yellow].iter().all(|light| light.seconds() > 0));
    assert!(Red.seconds() > Yellow.seconds());
}

#[test]
fn from_text() {
    assert_eq!(Light::try_from("red"), Ok(Red));
    assert_eq!(Light::try_from("blue").unwrap_err(), "blue".to_string());
}

#[test]
fn can_be_ordered_and_hashed() {
    use std::collections::{BTreeSet, HashSet};
    let ordered: BTreeSet<Light> = [Yellow, Red].into();
    assert_eq!(ordered.into_iter().next(), Some(Red));
    assert_eq!(HashSet::from([Red, Red]).len(), 1);
}

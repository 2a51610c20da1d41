use raindrop::raindrop;

#[test]
fn no_factor() {
    assert_eq!("34", raindrop(34));
}

#[test]
fn three() {
    assert_eq!("Pling", raindrop(9));
}

#[test]
fn five() {
    assert_eq!("Plang", raindrop(25));
}

#[test]
fn all_of_them() {
    assert_eq!("PlingPlangPlong", raindrop(105));
}

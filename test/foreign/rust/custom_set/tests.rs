use custom_set::CustomSet;

#[test]
fn order_does_not_matter() {
    assert_eq!(CustomSet::new(&[1, 3]), CustomSet::new(&[3, 1]));
}

#[test]
fn different_sets() {
    assert_ne!(CustomSet::new(&[1, 3]), CustomSet::new(&[1, 2, 3]));
}

#[test]
fn twice_is_once() {
    let mut set = CustomSet::new(&[1, 1]);
    set.add(1);
    assert_eq!(set, CustomSet::new(&[1]));
}

#[test]
fn subsets() {
    let small = CustomSet::new(&['a']);
    let large = CustomSet::new(&['a', 'b']);
    assert!(small.is_subset(&large));
    assert!(!large.is_subset(&small));
}

#[test]
fn common_elements() {
    let both = CustomSet::new(&[1, 2, 3]).intersection(&CustomSet::new(&[2, 3, 4]));
    assert_eq!(both, CustomSet::new(&[2, 3]));
    assert!(both.contains(&2) && !both.contains(&1));
}

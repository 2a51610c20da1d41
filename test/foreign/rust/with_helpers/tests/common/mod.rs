//! What several test files share.
#![allow(dead_code)]

pub mod data;

pub fn shuffled(length: u32, seed: u32) -> Vec<u32> {
    (0..length).map(|index| (index * 7919 + seed * 104_729) % 101).collect()
}

pub fn assert_sorted<T: PartialOrd + std::fmt::Debug>(list: &[T]) {
    for pair in list.windows(2) {
        assert!(pair[0] <= pair[1], "{:?} is before {:?}", pair[0], pair[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: i32 = -5;
    const HIGH: i32 = 5;

    #[test]
    fn keeps_what_is_inside() {
        assert_eq!(clamp_all(&[1, 2, 3], LOW, HIGH), vec![1, 2, 3]);
    }

    #[test]
    fn cuts_both_ends() {
        assert_eq!(clamp_all(&[-9, 9], LOW, HIGH), [LOW, HIGH]);
    }

    #[test]
    #[should_panic(expected = "empty range")]
    fn refuses_an_empty_range() {
        clamp_all(&[1], HIGH, LOW);
    }

    #[test]
    fn sees_private_items() {
        assert_eq!(cut(7, 0, 1), 1);
    }

    mod edges {
        use super::*;

        #[test]
        fn bounds_are_inside() {
            assert!(clamp_all(&[LOW, HIGH], LOW, HIGH).iter().all(|x| x.abs() == 5));
        }
    }
}

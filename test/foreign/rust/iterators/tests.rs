use iterators::{Collatz, Pairs};

#[test]
fn collatz_is_an_iterator() {
    assert_eq!(Collatz::from(6).collect::<Vec<_>>(), vec![6, 3, 10, 5, 16, 8, 4, 2, 1]);
}

#[test]
fn collatz_of_one() {
    assert_eq!(Collatz::from(1).count(), 1);
}

#[test]
fn works_with_adapters() {
    let odd: Vec<u64> = Collatz::from(6).filter(|n| n % 2 == 1).take(2).collect();
    assert_eq!(odd, [3, 5]);
}

#[test]
fn pairs_of_any_iterator() {
    let pairs: Vec<(char, char)> = "abcd".chars().pairs().collect();
    assert_eq!(pairs, [('a', 'b'), ('c', 'd')]);
}

#[test]
fn an_odd_one_is_left_out() {
    assert_eq!([1, 2, 3].iter().pairs().last(), Some((&1, &2)));
}

#[test]
fn stays_at_the_end() {
    let mut collatz = Collatz::from(2);
    assert_eq!(collatz.by_ref().last(), Some(1));
    assert_eq!(collatz.next(), None);
}

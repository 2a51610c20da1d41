use const_table::triangle;

const CASES: &[(usize, &[&[u64]])] = &[
    (0, &[]),
    (1, &[&[1]]),
    (3, &[&[1], &[1, 1], &[1, 2, 1]]),
    (5, &[&[1], &[1, 1], &[1, 2, 1], &[1, 3, 3, 1], &[1, 4, 6, 4, 1]]),
];

#[test]
fn table() {
    for &(rows, expected) in CASES {
        let got = triangle(rows);
        assert_eq!(got.len(), expected.len());
        for (left, right) in got.iter().zip(expected) {
            assert_eq!(&left[..], *right, "rows: {rows}");
        }
    }
}

#[test]
fn sums_are_powers_of_two() {
    triangle(20)
        .iter()
        .enumerate()
        .for_each(|(index, row)| assert_eq!(row.iter().sum::<u64>(), 1 << index));
}

#[test]
fn symmetric() {
    let is_mirrored = |row: &Vec<u64>| row.iter().eq(row.iter().rev());
    assert!(triangle(9).iter().all(is_mirrored));
}

use matrix_ops::*;

macro_rules! matrix {
    ($([$($x:expr),*]),* $(,)?) => { Matrix::from_rows(vec![$(vec![$($x),*]),*]) };
}

#[test]
fn reads_rows_and_columns() {
    let m = matrix![[1, 2, 3], [4, 5, 6]];
    assert_eq!(m.row(1), &[4, 5, 6]);
    assert_eq!(m.column(2), vec![3, 6]);
}

#[test]
fn transposes() {
    assert_eq!(matrix![[1, 2], [3, 4], [5, 6]].transposed(), matrix![[1, 3, 5], [2, 4, 6]]);
}

#[test]
fn adds() {
    let sum = &matrix![[1, 2]] + &matrix![[10, 20]];
    assert_eq!(sum, Some(matrix![[11, 22]]));
}

#[test]
fn shapes_must_agree() {
    assert!((&matrix![[1, 2]] + &matrix![[1], [2]]).is_none());
}

#[test]
fn is_cloned_deeply() {
    let a = matrix![[1]];
    let b = a.clone();
    assert_eq!(a, b);
    assert_ne!(a, matrix![[2]]);
}

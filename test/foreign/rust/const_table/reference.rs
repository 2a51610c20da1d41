pub fn triangle(rows: usize) -> Vec<Vec<u64>> {
    let mut result: Vec<Vec<u64>> = Vec::with_capacity(rows);
    for index in 0..rows {
        let mut row = vec![1; index + 1];
        for at in 1..index {
            row[at] = result[index - 1][at - 1] + result[index - 1][at];
        }
        result.push(row);
    }
    result
}

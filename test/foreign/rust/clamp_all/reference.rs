fn cut(x: i32, low: i32, high: i32) -> i32 {
    x.max(low).min(high)
}

pub fn clamp_all(list: &[i32], low: i32, high: i32) -> Vec<i32> {
    assert!(low <= high, "empty range");
    list.iter().map(|&x| cut(x, low, high)).collect()
}

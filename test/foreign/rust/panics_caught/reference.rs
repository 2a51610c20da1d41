pub fn divide(a: i32, b: i32) -> i32 {
    if b == 0 {
        panic!("cannot divide {} by zero", a);
    }
    a / b
}

pub fn checked_index(list: &[i32], index: usize) -> Option<i32> {
    list.get(index).copied()
}

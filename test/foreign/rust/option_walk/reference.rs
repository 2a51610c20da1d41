use std::collections::HashMap;

pub fn first_even(list: &[i32]) -> Option<&i32> {
    list.iter().find(|n| *n % 2 == 0)
}

pub fn sum_all(list: Vec<Option<i32>>) -> Option<i32> {
    list.into_iter().sum()
}

pub fn lookup<'a>(names: &HashMap<&str, &'a str>, name: &str) -> Option<&'a str> {
    names.get(name).and_then(|next| names.get(next)).copied()
}

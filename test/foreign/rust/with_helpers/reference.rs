pub fn insertion_sort<T: PartialOrd>(list: &mut [T]) {
    for index in 1..list.len() {
        let mut at = index;
        while at > 0 && list[at - 1] > list[at] {
            list.swap(at - 1, at);
            at -= 1;
        }
    }
}

#[path = "parts/reading.rs"]
mod reading;
mod writing;

#[test]
fn both_directions() {
    for n in 0..300 {
        assert_eq!(several_files::from_hex(&several_files::to_hex(n)), Some(n));
    }
}

use made_by_macro::roman;

macro_rules! numerals {
    ($($name:ident: $number:expr => $text:literal),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                assert_eq!(roman($number), $text);
            }
        )+
    };
}

numerals! {
    one: 1 => "I",
    four: 4 => "IV",
    nine: 9 => "IX",
    forty_two: 42 => "XLII",
    this_century: 2024 => "MMXXIV",
}

mod large {
    use super::*;

    numerals! {
        a_thousand: 1000 => "M",
        the_largest: 3999 => "MMMCMXCIX",
    }
}

use nested_macros::{parse, Token};

macro_rules! group {
    ($module:ident { $($(#[$extra:meta])* $name:ident($input:expr, $expected:expr);)* }) => {
        mod $module {
            use super::*;
            $(
                #[test]
                $(#[$extra])*
                fn $name() {
                    assert_eq!(parse($input), $expected);
                }
            )*
        }
    };
}

group!(numbers {
    one_digit("7", Ok(vec![Token::Number(7)]));
    several_digits("120", Ok(vec![Token::Number(120)]));
    #[ignore = "takes long"]
    huge("99999999", Ok(vec![Token::Number(0)]));
});

group!(signs {
    a_sum("1+2", Ok(vec![Token::Number(1), Token::Plus, Token::Number(2)]));
    spaces(" 1  ", Ok(vec![Token::Number(1)]));
    unknown("1?", Err('?'));
    #[should_panic(expected = "assertion")]
    not_that("1", Err('1'));
});

#[cfg(test)]
mod test {
    use super::Expr::*;
    use super::*;

    macro_rules! boxed {
        ($e:expr) => {
            Box::new($e)
        };
    }

    #[test]
    fn evaluates() {
        let tree = Add(boxed!(Num(1)), boxed!(Mul(boxed!(Num(2)), boxed!(Num(3)))));
        assert_eq!(eval(&tree), Ok(7));
    }

    #[test]
    fn overflows_are_errors() {
        assert_eq!(eval(&Mul(boxed!(Num(i32::MAX)), boxed!(Num(2)))), Err(EvalError::Overflow));
    }

    #[test]
    fn division() {
        assert_eq!(eval(&Div(boxed!(Num(7)), boxed!(Num(2)))), Ok(3));
        assert_eq!(eval(&Div(boxed!(Num(7)), boxed!(Num(0)))), Err(EvalError::DivisionByZero));
    }

    #[test]
    #[allow(clippy::bool_assert_comparison)]
    #[cfg(not(feature = "slow"))]
    fn attributes_in_between() {
        assert_eq!(eval(&Num(0)).is_ok(), true);
    }

    #[cfg(feature = "slow")]
    #[test]
    fn left_out() {
        panic!("this feature is off");
    }
}

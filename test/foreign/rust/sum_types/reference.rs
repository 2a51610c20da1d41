#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Num(i32),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Div(Box<Expr>, Box<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvalError {
    Overflow,
    DivisionByZero,
}

pub fn eval(expr: &Expr) -> Result<i32, EvalError> {
    let both = |a: &Expr, b: &Expr| Ok((eval(a)?, eval(b)?));
    match expr {
        Expr::Num(n) => Ok(*n),
        Expr::Add(a, b) => both(a, b).and_then(|(a, b)| a.checked_add(b).ok_or(EvalError::Overflow)),
        Expr::Mul(a, b) => both(a, b).and_then(|(a, b)| a.checked_mul(b).ok_or(EvalError::Overflow)),
        Expr::Div(a, b) => both(a, b).and_then(|(a, b)| a.checked_div(b).ok_or(EvalError::DivisionByZero)),
    }
}

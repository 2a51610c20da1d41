pub struct Collatz {
    next: Option<u64>,
}

impl From<u64> for Collatz {
    fn from(first: u64) -> Self {
        Collatz { next: Some(first) }
    }
}

impl Iterator for Collatz {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let now = self.next?;
        self.next = match now {
            1 => None,
            n if n % 2 == 0 => Some(n / 2),
            n => Some(3 * n + 1),
        };
        Some(now)
    }
}

pub struct PairsOf<I>(I);

impl<I: Iterator> Iterator for PairsOf<I> {
    type Item = (I::Item, I::Item);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.0.next()?))
    }
}

pub trait Pairs: Iterator + Sized {
    fn pairs(self) -> PairsOf<Self> {
        PairsOf(self)
    }
}

impl<I: Iterator> Pairs for I {}

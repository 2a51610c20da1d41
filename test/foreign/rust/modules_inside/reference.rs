pub const VERSION: &str = "1.0";

pub mod geometry {
    pub fn dimension() -> usize {
        2
    }

    pub mod plane {
        use std::ops::{Add, AddAssign, Mul, Neg};

        #[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
        pub struct Vector {
            pub x: i32,
            pub y: i32,
        }

        impl Add for Vector {
            type Output = Vector;
            fn add(self, other: Vector) -> Vector {
                Vector { x: self.x + other.x, y: self.y + other.y }
            }
        }

        impl AddAssign for Vector {
            fn add_assign(&mut self, other: Vector) {
                *self = *self + other;
            }
        }

        impl Neg for Vector {
            type Output = Vector;
            fn neg(self) -> Vector {
                Vector { x: -self.x, y: -self.y }
            }
        }

        impl Mul<i32> for Vector {
            type Output = Vector;
            fn mul(self, factor: i32) -> Vector {
                Vector { x: self.x * factor, y: self.y * factor }
            }
        }

        impl Mul<Vector> for i32 {
            type Output = Vector;
            fn mul(self, vector: Vector) -> Vector {
                vector * self
            }
        }
    }
}

pub trait Shape {
    fn area(&self) -> f64;

    fn name(&self) -> String {
        format!("shape of {}", self.area())
    }
}

pub struct Square(pub f64);
pub struct Circle(pub f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        std::f64::consts::PI * self.0 * self.0
    }
}

pub fn total_area(shapes: &[Box<dyn Shape>]) -> f64 {
    shapes.iter().map(|shape| shape.area()).sum()
}

pub fn largest<S: Shape>(shapes: &[S]) -> Option<&S> {
    shapes.iter().max_by(|a, b| a.area().partial_cmp(&b.area()).unwrap())
}

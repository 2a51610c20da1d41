use shapes_trait::{largest, total_area, Circle, Shape, Square};

/// A shape of the tests.
struct Strip {
    length: f64,
}

impl Shape for Strip {
    fn area(&self) -> f64 {
        self.length * 0.5
    }
}

#[derive(Debug, PartialEq)]
struct Named(&'static str, f64);

impl Shape for Named {
    fn area(&self) -> f64 {
        self.1
    }
    fn name(&self) -> String {
        self.0.to_string()
    }
}

#[test]
fn areas() {
    assert_eq!(Square(3.0).area(), 9.0);
    assert!((Circle(1.0).area() - std::f64::consts::PI).abs() < 1e-12);
}

#[test]
fn sums_any_shapes() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Strip { length: 4.0 })];
    assert_eq!(total_area(&shapes), 6.0);
}

#[test]
fn default_names() {
    assert_eq!(Strip { length: 1.0 }.name(), "shape of 0.5");
    assert_eq!(Named("own", 2.0).name(), "own");
}

#[test]
fn finds_the_largest() {
    let all = [Named("a", 1.0), Named("b", 3.0), Named("c", 2.0)];
    assert_eq!(largest(&all), Some(&Named("b", 3.0)));
    assert_eq!(largest::<Square>(&[]).map(|s| s.area()), None);
}

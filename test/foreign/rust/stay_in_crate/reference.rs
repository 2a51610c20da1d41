#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Temperature(f64);

impl Temperature {
    pub fn celsius(degrees: f64) -> Self {
        Temperature(degrees)
    }

    pub fn fahrenheit(self) -> f64 {
        self.0 * 1.8 + 32.0
    }

    pub fn kelvin(self) -> f64 {
        self.0 + 273.15
    }
}

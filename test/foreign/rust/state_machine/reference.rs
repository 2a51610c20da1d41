#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Light {
    Red,
    Green,
    Yellow,
}

impl Light {
    pub fn next(self) -> Self {
        match self {
            Light::Red => Light::Green,
            Light::Green => Light::Yellow,
            Light::Yellow => Light::Red,
        }
    }

    pub const fn seconds(self) -> u32 {
        match self {
            Light::Red => 30,
            Light::Green => 25,
            Light::Yellow => 3,
        }
    }
}

impl TryFrom<&str> for Light {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        match text {
            "red" => Ok(Light::Red),
            "green" => Ok(Light::Green),
            "yellow" => Ok(Light::Yellow),
            other => Err(other.to_string()),
        }
    }
}

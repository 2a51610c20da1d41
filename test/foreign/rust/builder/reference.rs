#[derive(Debug, PartialEq, Eq)]
pub enum BuildError {
    NoAddress,
    TooManyRetries(u8),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    address: String,
    method: Option<String>,
    retries: u8,
    headers: Vec<(String, String)>,
}

#[derive(Default)]
pub struct Builder {
    request: Request,
}

impl Request {
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub fn method(&self) -> &str {
        self.method.as_deref().unwrap_or("GET")
    }

    pub fn retries(&self) -> u8 {
        self.retries
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl Builder {
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.request.address = address.into();
        self
    }

    pub fn method(mut self, method: &str) -> Self {
        self.request.method = Some(method.to_string());
        self
    }

    pub fn retries(mut self, retries: u8) -> Self {
        self.request.retries = retries;
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.request.headers.push((name.to_string(), value.to_string()));
        self
    }

    pub fn build(self) -> Result<Request, BuildError> {
        match self.request {
            Request { ref address, .. } if address.is_empty() => Err(BuildError::NoAddress),
            Request { retries, .. } if retries > 10 => Err(BuildError::TooManyRetries(retries)),
            request => Ok(request),
        }
    }
}

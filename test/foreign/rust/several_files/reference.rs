pub fn to_hex(n: u32) -> String {
    format!("{:x}", n)
}

pub fn from_hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}

pub const EXPECTED: [i32; 4] = [1, 2, 3, 3];

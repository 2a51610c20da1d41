/** Editions of the language Rust. */

/** The edition that is used if a case does not set one. */
export const EDITION = '2021'

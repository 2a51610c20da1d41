/** Editions of the language. */

/** The edition of a case that does not set one. */
export const EDITION = '2021'

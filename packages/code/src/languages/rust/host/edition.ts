/** Editions of the language. */

/** The default, unless a case sets another. */
export const EDITION = '2021'

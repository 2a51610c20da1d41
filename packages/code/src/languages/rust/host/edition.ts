/** Editions of the language. */

/** Unless a case says otherwise. */
export const EDITION = '2021'

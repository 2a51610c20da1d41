/**
 * The error message for bytes that are not valid UTF-8. If such bytes were decoded anyway, each would become the same
 * replacement character. Then two cases whose names differ only in these bytes would become one case.
 */
export const NOT_UTF8 = 'not UTF-8; --encoding windows-1252 (or the right one) reads it'

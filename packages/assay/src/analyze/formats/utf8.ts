/**
 * The error for bytes that are not valid UTF-8. If they were decoded anyway, each would become the same
 * replacement character, and two cases whose names differ only there would be merged.
 */
export const NOT_UTF8 =
  'not UTF-8; convert the file, for instance with "iconv -f WINDOWS-1252 -t UTF-8"'

/**
 * What is said of bytes that are no UTF-8. Decoded all the same, every one of them would become the same
 * replacement character, and two cases whose names differ in it would be one.
 */
export const NOT_UTF8 =
  'not UTF-8; convert the file, for instance with "iconv -f WINDOWS-1252 -t UTF-8"'

/**
 * The remark on a trial whose text is not valid UTF-8. The text is still read, but its invalid bytes are
 * replaced.
 */

export const INVALID_UTF8 =
  'the reply has bytes that are not valid UTF-8; each appears in the answer as U+FFFD'

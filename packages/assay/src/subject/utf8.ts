/** The remark on a trial whose text is not valid UTF-8. The text is used, but with its invalid bytes replaced. */

export const INVALID_UTF8 =
  'the reply has bytes that are not valid UTF-8; each appears in the answer as U+FFFD'

/** Text that is not valid UTF-8 is still read. The trial notes that it was changed. */

export const INVALID_UTF8 =
  'the reply has bytes that are not valid UTF-8; each stands in the answer as U+FFFD'

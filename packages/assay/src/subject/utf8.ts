/** Text from outside that is not valid UTF-8 is read all the same; the trial says that it is not as it came. */

export const INVALID_UTF8 =
  'the reply has bytes that are not valid UTF-8; each stands in the answer as U+FFFD'

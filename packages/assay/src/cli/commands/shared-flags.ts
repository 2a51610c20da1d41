/** Descriptions of arguments and flags that several commands share. */
import { FORMAT_ENDINGS } from '../../report/formats/names.ts'

export const RUN = 'a run folder, "latest" or the start of its name'
export const TRUST = 'allow, for this once, what the folder starts and where it has keys sent'
export const ACCEPT_EDITED = 'read a run whose record was changed; what is printed says so'
export const DETAILS = 'also print total costs, times, every k, p^k, statistics and single trials'
export const REPORT = `write a report, in the format of its name: ${FORMAT_ENDINGS.join(', ')}`
export const BY =
  'also show figures by tag, group or a key of the cases’ metadata; several by comma'

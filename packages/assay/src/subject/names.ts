/** The kinds of subjects. Separate from them, so that `assay --help` lists them and loads none. */
import { AGENT_NAMES } from './agent/names.ts'

/** The keys that say in a file what a subject is. */
export const SUBJECT_KINDS = ['agent', 'model', 'command', 'replay', 'simulated'] as const

export type SubjectKind = (typeof SUBJECT_KINDS)[number]

/** What a subject begins with on the command line, before the colon. A model has none. */
export const SCHEMES = ['command', 'command+json', 'agent', 'replay', 'simulated'] as const

export type Scheme = (typeof SCHEMES)[number]

/** How a subject is written on the command line. */
export const SUBJECT_FORMS: readonly string[] = [
  'provider/model',
  ...SCHEMES.map((scheme) => `${scheme}:${scheme === 'agent' ? AGENT_NAMES.join('|') : '…'}`),
]

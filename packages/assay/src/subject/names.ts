/**
 * The kinds of subjects. They are in a separate file, so that `assay --help` can list them without loading the code of
 * the subjects.
 */
import { AGENT_NAMES } from './agent/names.ts'

/** The keys of a subject in a file. Exactly one of them is set, and it says what kind of subject it is. */
export const SUBJECT_KINDS = [
  'agent',
  'model',
  'command',
  'replay',
  'simulated',
  'baseline',
] as const

export type SubjectKind = (typeof SUBJECT_KINDS)[number]

/** The prefixes of subjects on the command line, before the colon. A model has no prefix. */
export const SCHEMES = [
  'command',
  'command+json',
  'agent',
  'replay',
  'replay-agent',
  'simulated',
  'baseline',
] as const

/**
 * Two subjects for checking a suite: `reference` gives the reference answers, and `nothing` does nothing. They are
 * written without a prefix.
 */
export const BASELINES = ['reference', 'nothing'] as const

export type Baseline = (typeof BASELINES)[number]

export type Scheme = (typeof SCHEMES)[number]

/**
 * The agents that can be named on the command line. `acp` is not one of them, because it needs a command, and only a
 * file can contain that.
 */
const STARTED_BY_NAME = AGENT_NAMES.filter((name) => name !== 'acp')

/** The ways to write a subject on the command line, for help texts. */
export const SUBJECT_FORMS: readonly string[] = [
  'provider/model',
  ...SCHEMES.filter((scheme) => scheme !== 'baseline').map((scheme) =>
    // The names are separated by spaces, so that help texts can break the line there.
    scheme === 'agent' ? `agent:NAME (${STARTED_BY_NAME.join(' ')})` : `${scheme}:…`,
  ),
  ...BASELINES,
]

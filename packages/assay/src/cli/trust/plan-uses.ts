/**
 * Lists what a plan starts, contacts and reads, as a list of `Use` (trust/use.ts). The trust check, `--dry-run` and
 * the run's record share this list. The table below has an entry for each part of a request. If a part is added
 * without an entry, the code does not compile.
 */
import { resolve } from 'node:path'
import { type Suite, UsageError } from '@assay/contract'
import { describeSubject, namedSubjectIn, type NamedSubject } from '../../subject/index.ts'
import { isShipped } from '../../suite/index.ts'
import { isModulePath } from '../../documents/index.ts'
import {
  isOutsideRoot,
  moduleUse,
  namedIn,
  repositoryRoot,
  subjectUses,
  suiteUses,
  withoutRepeats,
  type NamedBy,
  type ReadUse,
  type Use,
} from '../../trust/index.ts'
import type { Request } from '../settings/run-flags.ts'
import type { LoadedSettings } from '../settings/settings.ts'

/** Which file or command line names each part of a request. */
export type Naming = Readonly<
  Record<'suites' | 'subjects' | 'judges' | 'prices' | 'config' | 'regrade', NamedBy>
>

export interface PlanAt {
  readonly request: Request
  readonly naming: Naming
  readonly loaded: LoadedSettings
  readonly named: Readonly<Record<string, NamedSubject>>
  readonly suites: readonly Suite[]
  /** Returns which file names the graders and commands of a suite. */
  readonly suiteBy: (path: string) => NamedBy
  /** The judges that will be asked. */
  readonly judges: readonly { readonly judge: string; readonly by: NamedBy }[]
  /** Returns the `NamedBy` for the settings in a file. */
  readonly fileBy: (file: string) => NamedBy
  /** The environment variables. If null, every variable that could be sent is listed, even if it is not set. */
  readonly env: NodeJS.ProcessEnv | null
  readonly unsandboxed: boolean
  /** Whether graders that run with the user's permissions can be put into a sandbox instead. */
  readonly canSandbox: boolean
  /** Returns the folder of the run with this name. Throws a `UsageError` if there is none. */
  readonly findRun: (name: string) => string
  /** The folder in which commands start. Default: the working directory. */
  readonly workFolder?: string
}

type Collect = (at: PlanAt) => readonly Use[] | Promise<readonly Use[]>

const nothing: Collect = () => []

const REQUEST: Readonly<Record<keyof Request, Collect>> = {
  suites: usesOfSuites,
  // Regrading uses recorded answers, so no subject is asked.
  subjects: (at) => (at.request.regrade === undefined ? usesOfSubjects(at) : []),
  judges: usesOfJudges,
  config: (at) => readUses(at.request.config, at.naming.config, 'the run file'),
  prices: (at) => readUses(at.request.prices, at.naming.prices, 'prices'),
  regrade: (at) => readUses(at.request.regrade, at.naming.regrade, 'the answers that are graded'),
  filter: nothing,
  cases: nothing,
  temperature: nothing,
  trials: nothing,
  passK: nothing,
  picked: nothing,
  asked: nothing,
}

export async function planUses(at: PlanAt): Promise<Use[]> {
  const uses: Use[] = []
  for (const collect of Object.values(REQUEST)) uses.push(...(await collect(at)))
  return withoutRepeats(uses)
}

/** Returns the uses for suites and experiments that are programs and that the request itself names. */
export const requestedModules = (files: readonly string[], by: NamedBy): Use[] =>
  files.filter(isModulePath).map((file) => moduleUse(file, by))

/**
 * Returns a `Use` for each suite that the request names, if the suite is outside of the repository of the file that
 * names it and outside of the repository that the user works in.
 */
export const requestedSuites = (files: readonly string[], by: NamedBy): Use[] =>
  suiteReads(files, by).filter(({ path }) => isOutsideRoot(repositoryRoot('.'), path))

/** Returns a `ReadUse` for each suite file that is not in the same repository as the file that names it. */
export const suiteReads = (files: readonly string[], by: NamedBy): ReadUse[] =>
  files
    .map((file) => resolve(file))
    .filter((path) => isOutsideRoot(by.root, path))
    .map((path) => ({ does: 'read', path, by, for: 'a suite' }))

function usesOfSuites(at: PlanAt): Use[] {
  const { request, naming, suites, suiteBy, unsandboxed, canSandbox } = at
  return [
    ...requestedSuites(request.suites, naming.suites),
    ...requestedModules(request.suites, naming.suites),
    ...suites.flatMap((suite) => {
      const by = suiteBy(suite.path)
      const isOwn = isModulePath(suite.path) && !request.suites.includes(suite.path)
      return [
        ...(isOwn ? [moduleUse(suite.path, by)] : []),
        ...suiteUses({ suite, by, unsandboxed, canSandbox }),
        ...(suite.functions?.description.passEnv ?? []).map((variable): Use => ({
          does: 'send',
          variable,
          to: suite.path,
          by,
          for: 'functions',
          isSafe: false,
        })),
      ]
    }),
  ]
}

/** Returns the files that name the cases on which an agent works. Cases that ship with Assay need no trust. */
const casesBy = ({ suites, suiteBy }: PlanAt): NamedBy[] =>
  suites.filter((suite) => !suite.cases.every(isShipped)).map(({ path }) => suiteBy(path))

async function usesOfSubjects(at: PlanAt): Promise<Use[]> {
  const uses: Use[] = []
  for (const subject of at.request.subjects)
    uses.push(...(await usesOfOne(subject, at.naming.subjects, casesBy(at), at)))
  return uses
}

/**
 * Returns what the judges use. A judge that is an agent works in a copy of the case's files. So the cases could make
 * it leak its keys, too.
 */
async function usesOfJudges(at: PlanAt): Promise<Use[]> {
  const uses: Use[] = []
  for (const { judge, by } of at.judges) uses.push(...(await usesOfOne(judge, by, casesBy(at), at)))
  return uses
}

async function usesOfOne(
  text: string,
  writer: NamedBy,
  cases: readonly NamedBy[],
  at: PlanAt,
): Promise<Use[]> {
  const { loaded, named, fileBy } = at
  const id = text.trim()
  const subject = described(id, named)
  if (subject === null) return []
  const written = namedSubjectIn(id, named)
  const origin = (key: string): NamedBy => {
    const file = loaded.origins.get(key)
    return file === undefined ? writer : fileBy(file)
  }
  return subjectUses({
    id,
    subject,
    by: written === null ? writer : origin(`subjects.${written}`),
    folder: resolve(written === null ? '.' : loaded.folder),
    workFolder: at.workFolder ?? process.cwd(),
    cases,
    providers: loaded.settings.providers ?? {},
    providerBy: (name) => origin(`providers.${name}`),
    env: at.env,
    unsandboxed: at.unsandboxed,
    findRun: at.findRun,
  })
}

/**
 * Parses a subject. Returns null if the text is not valid. That error is reported later, by the code that creates
 * subjects.
 */
function described(
  text: string,
  named: Readonly<Record<string, NamedSubject>>,
): NamedSubject | null {
  try {
    return describeSubject(text, named)
  } catch (error) {
    if (error instanceof UsageError) return null
    throw error
  }
}

export function readUses(path: string | null | undefined, by: NamedBy, what: string): Use[] {
  if (path === null || path === undefined) return []
  const full = resolve(path)
  const isListed = by.file === null || isOutsideRoot(by.root, full)
  return isListed ? [{ does: 'read', path: full, by, for: what }] : []
}

/** Returns a `Use` if a file makes Assay create run folders outside of the repository. */
export function writeUses(path: string, by: NamedBy): Use[] {
  const full = resolve(path)
  return by.file !== null && isOutsideRoot(by.root, full)
    ? [{ does: 'write', path: full, by, for: 'run folders' }]
    : []
}

/** Returns each judge with the source that names it: the request if it names judges, otherwise the suite. */
export function judgesBy(
  suites: readonly Suite[],
  judgesIn: (suites: readonly Suite[]) => readonly string[],
  request: NamedBy | null,
): { judge: string; by: NamedBy }[] {
  return suites.flatMap((suite) =>
    judgesIn([suite]).map((judge) => ({ judge, by: request ?? namedIn(suite.path) })),
  )
}

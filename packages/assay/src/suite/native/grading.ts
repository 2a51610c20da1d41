/**
 * Reads the graders and the scoring of a suite. Each grader's own schema checks its options and adds defaults. Names
 * are made unique, and the weights are determined. If the caller asks for it, graders that run with the user's
 * permissions are refused or only checked. Settings that could never give a verdict are refused: no deciding grader
 * and no threshold, or a threshold with weights that are all 0.
 */
import { dirname, resolve } from 'node:path'
import type { CodeProfile } from '@assay/code'
import type { z } from 'zod'
import {
  isCodeGrade,
  isLabelGrade,
  type GraderConfig,
  type Json,
  type Transform,
} from '@assay/contract'
import type { SuiteGrader } from './suite-grader.ts'
import { check, type Notes, quote, type Path } from '../../documents/index.ts'
import { nearest } from '../../text/index.ts'
import { COMMON_GRADER_KEYS, graderSchema, turnSchema, type Scoring } from './schema.ts'
import { readTransform } from './transform-schema.ts'

/** A grader in the suite. If `weight` is null, the suite's `scoring.weights` can set it. */
export interface GraderEntry {
  readonly config: Omit<GraderConfig, 'weight'>
  readonly weight: number | null
  readonly decides: boolean
}

/** The data that is needed to read graders. */
export interface GraderReading {
  /** The path of the suite. */
  readonly path: string
  readonly graders: readonly SuiteGrader[]
  /** Whether grader programs must run in a sandbox, even if the suite does not ask for one. */
  readonly sandboxGraders: boolean
  readonly programs: ProgramGraders
}

/**
 * What to do, while a suite is read, with graders that run with the user's permissions: load them, only check them,
 * or refuse them.
 */
export type ProgramGraders = 'run' | 'check' | 'refuse'

/**
 * Returns the valid graders of a list. Notes a problem for each invalid one. Returns a promise only if a grader has
 * to read something.
 */
export function readGraders(
  list: readonly unknown[],
  at: Path,
  reading: GraderReading,
  notes: Notes,
): GraderEntry[] | Promise<GraderEntry[]> {
  const names: GraderNames = { taken: new Set(), used: new Set() }
  for (const item of list) if (isNamed(item)) names.taken.add(item.name)
  const entries: GraderEntry[] = []
  const readNext = (index: number): ReturnType<typeof readGrader> =>
    readGrader(list[index], [...at, index], names, reading, notes)

  for (let index = 0; index < list.length; index++) {
    const entry = readNext(index)
    if (entry instanceof Promise)
      return readOthers(entries, entry, readNext, index + 1, list.length)
    if (entry !== undefined) entries.push(entry)
  }
  return entries
}

/** Reads the remaining graders once one of them has returned a promise. */
async function readOthers(
  entries: GraderEntry[],
  first: Promise<GraderEntry | undefined>,
  readNext: (index: number) => ReturnType<typeof readGrader>,
  from: number,
  end: number,
): Promise<GraderEntry[]> {
  const add = (entry: GraderEntry | undefined): void => {
    if (entry !== undefined) entries.push(entry)
  }
  add(await first)
  for (let index = from; index < end; index++) add(await readNext(index))
  return entries
}

/** The names in one list of graders. */
interface GraderNames {
  /** All names in the list. A grader without a name gets one that is not among them. */
  readonly taken: Set<string>
  /** The names of the graders that were already read. */
  readonly used: Set<string>
}

/** Reads one grader of the list. Returns undefined if it is not valid. */
function readGrader(
  item: unknown,
  here: Path,
  { taken, used }: GraderNames,
  reading: GraderReading,
  notes: Notes,
): GraderEntry | undefined | Promise<GraderEntry | undefined> {
  const { graders } = reading
  const common = check(graderSchema, item, notes, { path: here })
  if (common === undefined) return undefined
  const grader = graders.find(({ type }) => type === common.type)
  if (grader === undefined) {
    const types = graders.map(({ type }) => type)
    notes.problem([...here, 'type'], {
      expected: `one of the graders ${types.join(', ')}`,
      nearest: nearest(common.type, types),
    })
    return undefined
  }
  if (common.name !== undefined && used.has(common.name))
    notes.problem([...here, 'name'], { expected: 'a name that no other grader of the case has' })
  const name = common.name ?? freeName(common.type, taken)
  taken.add(name)
  used.add(name)
  const steps = transformOf(grader, common, here, notes)
  const given = readOptions(grader, common, here, notes)
  if (given === undefined) return undefined
  const turn = readTurn(grader, common, here, notes)
  const entryOf = (options: Json | undefined): GraderEntry | undefined =>
    options === undefined
      ? undefined
      : {
          config: {
            type: common.type,
            name,
            required: common.required ?? false,
            negate: common.negate ?? false,
            ...(steps === undefined ? {} : { transform: steps }),
            ...(turn === undefined ? {} : { turn }),
            options,
          },
          weight: common.weight ?? null,
          decides: grader.verdict ?? true,
        }
  if (grader.combines === true) return memberOptions(given, here, reading, notes).then(entryOf)
  return grader.resolve === undefined && grader.runsAsUser !== true
    ? entryOf(given)
    : resolveOptions(grader, given, here, reading, notes).then(entryOf)
}

/**
 * Returns the steps of the grader's transform. Notes a problem if the steps are wrong, or if the grader cannot have
 * a transform.
 */
function transformOf(
  grader: SuiteGrader,
  { transform }: z.infer<typeof graderSchema>,
  here: Path,
  notes: Notes,
): readonly Transform[] | undefined {
  if (transform === undefined) return undefined
  const at = [...here, 'transform']
  if (grader.readsAnswer !== true) {
    notes.problem(at, {
      at: 'key',
      expected: `no transform, as ${grader.type} does not grade the text of the answer`,
    })
    return undefined
  }
  const read = readTransform(transform)
  if ('steps' in read) return read.steps
  for (const { path, expected } of read.faults) notes.problem([...at, ...path], { expected })
  return undefined
}

/** How many levels of combinations may be nested. */
const MOST_NESTED = 5

/**
 * Returns the options of a combination: the configurations of its members. A member has no weight and cannot be
 * required, because the combination gives one grade. Code graders, judges and label graders cannot be members,
 * because reports compute separate figures from their grades.
 */
async function memberOptions(
  options: Json,
  at: Path,
  reading: GraderReading,
  notes: Notes,
): Promise<Json | undefined> {
  const { graders } = options as { readonly graders: readonly Readonly<Record<string, unknown>>[] }
  const here = [...at, 'graders']
  if (here.filter((step) => step === 'graders').length > MOST_NESTED + 1) {
    notes.problem(here, { expected: `combinations at most ${MOST_NESTED} deep` })
    return undefined
  }
  let isFaulty = false
  for (const [index, item] of graders.entries()) {
    const grader = reading.graders.find(({ type }) => type === item['type'])
    if (
      grader !== undefined &&
      (grader.runsTests === true || grader.judges !== undefined || isLabelGrade(grader))
    ) {
      isFaulty = true
      notes.problem([...here, index, 'type'], {
        expected: `a grader other than ${grader.type}, which can only stand outside of a combination`,
      })
    }
    for (const key of ['weight', 'required'])
      if (Object.hasOwn(item, key)) {
        isFaulty = true
        notes.problem([...here, index, key], {
          at: 'key',
          expected: `no ${key}, as the members give one grade together`,
        })
      }
  }
  if (isFaulty) return undefined
  const members = await readGraders(graders, here, reading, notes)
  const configs = members.map(({ config }) => ({ ...config, weight: 1 }))
  return { graders: configs }
}

const isNamed = (item: unknown): item is { name: string } =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string'

function freeName(type: string, taken: ReadonlySet<string>): string {
  let name = type
  for (let i = 2; taken.has(name); i++) name = `${type}-${i}`
  return name
}

const COMMON_KEYS_WITH_TURN: readonly string[] = [...COMMON_GRADER_KEYS, 'turn']

/**
 * Returns the grader's own options (all keys except those that every grader has), checked and completed by its schema.
 */
function readOptions(
  grader: SuiteGrader,
  entry: Readonly<Record<string, unknown>>,
  path: Path,
  notes: Notes,
): Json | undefined {
  const common = takesTurn(grader) ? COMMON_KEYS_WITH_TURN : COMMON_GRADER_KEYS
  const own: Record<string, unknown> = {}
  for (const key of Object.keys(entry)) if (!common.includes(key)) own[key] = entry[key]
  const options = check(grader.options, own, notes, {
    path,
    alsoValid: common,
  })
  return options as Json | undefined
}

/** Whether the grader grades a single answer. Such a grader can also grade the answer to an earlier turn. */
export const takesTurn = ({ readsAnswer, judges }: SuiteGrader): boolean =>
  readsAnswer === true || judges !== undefined

/**
 * Returns the turn whose answer is graded. Returns undefined for a grader that does not grade a text. There, `turn`
 * may be one of the grader's own options.
 */
function readTurn(
  grader: SuiteGrader,
  { turn }: Readonly<Record<string, unknown>>,
  path: Path,
  notes: Notes,
): number | undefined {
  if (turn === undefined || !takesTurn(grader)) return undefined
  return check(turnSchema, turn, notes, { path: [...path, 'turn'] })
}

/**
 * Returns the options, completed with data that the grader reads from the suite's folder. If that fails, notes the
 * problem and returns undefined.
 */
async function resolveOptions(
  grader: SuiteGrader,
  options: Json,
  at: Path,
  reading: Pick<GraderReading, 'path' | 'programs' | 'sandboxGraders'>,
  notes: Notes,
): Promise<Json | undefined> {
  const { programs, sandboxGraders } = reading
  if (grader.runsAsUser === true && programs === 'refuse') {
    notes.problem([...at, 'type'], {
      found: `the grader ${quote(grader.type)}, which runs with your rights`,
      expected: 'it only in a suite that is allowed to run programs',
    })
    return undefined
  }
  if (grader.resolve === undefined) return options
  const how = programs === 'check' ? 'check' : 'run'
  const resolved = await grader.resolve(options, dirname(resolve(reading.path)), {
    how,
    sandboxGraders,
  })
  if ('options' in resolved) {
    if (resolved.note !== undefined) notes.warn(resolved.note, at)
    return resolved.options as Json
  }
  for (const { path: inner, ...fault } of resolved.faults) notes.problem([...at, ...inner], fault)
  return undefined
}

export interface CaseScoring {
  readonly graders: readonly GraderConfig[]
  readonly threshold: number | null
}

/**
 * Returns the weights and the threshold of one case. The weight of a grader comes from the first of these that sets it:
 * the case's `scoring.weights`, the grader itself, and the suite's `scoring.weights`. Otherwise it is 1. In both
 * tables, an entry for a grader's name takes precedence over one for its type.
 */
export function scoringOf(
  entries: readonly GraderEntry[],
  suite: Scoring | undefined,
  own: Scoring | undefined,
): CaseScoring {
  const graders = entries.map(({ config, weight }) => ({
    ...config,
    ...weighed(config, own?.code, suite?.code),
    weight: weightIn(own, config) ?? weight ?? weightIn(suite, config) ?? 1,
  }))
  return { graders, threshold: own?.threshold ?? suite?.threshold ?? null }
}

/**
 * Returns the function that gives a case its scoring. Cases with the same graders and without their own `scoring` get
 * the same object, because a suite can have a hundred thousand of them.
 */
export function sharedScoring(
  suite: Scoring | undefined,
): (entries: readonly GraderEntry[], own: Scoring | undefined) => CaseScoring {
  const known = new WeakMap<readonly GraderEntry[], CaseScoring>()
  return (entries, own) => {
    if (own !== undefined) return scoringOf(entries, suite, own)
    let scoring = known.get(entries)
    if (scoring === undefined) known.set(entries, (scoring = scoringOf(entries, suite, own)))
    return scoring
  }
}

/**
 * Returns the code grader's options with the weights of the parts of its score. The weights come from the case,
 * otherwise from the grader itself, otherwise from the suite.
 */
function weighed(
  { type, options }: Pick<GraderConfig, 'type' | 'options'>,
  own: CodeProfile | undefined,
  suite: CodeProfile | undefined,
): Partial<GraderConfig> {
  if (!isCodeGrade({ type })) return {}
  const { parts, ...rest } = options as { readonly parts?: Json }
  const given = own ?? parts ?? suite
  return given === undefined ? {} : { options: { ...rest, parts: given } }
}

function weightIn(
  scoring: Scoring | undefined,
  config: { readonly name: string; readonly type: string },
): number | null {
  const weights = scoring?.weights
  if (weights === undefined) return null
  if (Object.hasOwn(weights, config.name)) return weights[config.name] ?? null
  if (Object.hasOwn(weights, config.type)) return weights[config.type] ?? null
  return null
}

/** Notes a problem if the case's graders together can never give a verdict. */
export function checkVerdict(
  entries: readonly GraderEntry[],
  settled: CaseScoring,
  path: Path,
  notes: Notes,
): void {
  if (entries.length === 0) return
  const { graders, threshold } = settled
  if (threshold !== null && graders.every(({ weight }) => weight === 0))
    notes.problem(path, {
      found: 'weights that are all 0',
      expected: `a weight above 0, as no score could reach the threshold ${threshold}`,
    })
  if (threshold === null && entries.every(({ decides }) => !decides))
    notes.problem(path, {
      found: 'only graders that advise',
      expected: 'a grader that decides, or scoring.threshold',
    })
}

/** Notes a problem for keys of `scoring.weights` that are not the name or type of a grader. */
export function checkWeights(
  scoring: Scoring | undefined,
  names: ReadonlySet<string>,
  path: Path,
  notes: Notes,
): void {
  for (const key of Object.keys(scoring?.weights ?? {}))
    if (!names.has(key))
      notes.problem([...path, 'scoring', 'weights', key], {
        at: 'key',
        found: quote(key),
        expected: `the name or type of a grader (${[...names].slice(0, 12).join(', ')})`,
        nearest: nearest(key, names),
      })
}

/** Returns the names and types to which weights may refer. */
export function weightNames(entries: readonly GraderEntry[]): Set<string> {
  const names = new Set<string>()
  addWeightNames(names, entries)
  return names
}

export function addWeightNames(names: Set<string>, entries: readonly GraderEntry[]): void {
  for (const { config } of entries) names.add(config.name).add(config.type)
}

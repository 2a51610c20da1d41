/**
 * Reads eval YAML files, which contain stimuli (cases) with graders, environments and constraints, defaults, and
 * scoring. This is the file format of the program that the specification scoring-functions describes, and such files
 * need no changes. Most graders have an equivalent in Assay. A warning lists the graders without one, and all other
 * settings that have no effect.
 */
import { z } from 'zod'
import { isJudgeGrade, parseDuration, type Case, type Metadatum, type Suite } from '@assay/contract'
import {
  check,
  type Document,
  isRecord,
  takeNotes,
  type Notes,
  type Path,
  noteUnread,
} from '../../../documents/index.ts'
import { constraintGrader, constraintsSchema, limitsIn, timeoutIn } from './constraints.ts'
import { environmentSchema, noteAgentKeys, readEnvironments } from './environment.ts'
import { graderCounterpart } from './graders.ts'
import type { JudgeDefaults } from './judges.ts'
import { goldenPatchSchema, readPatch, rubricGrader } from './stimulus-rubric.ts'
import { bareCase, checkIds, finish, sealCase, type LoadedSuite } from '../../native/finish.ts'
import { checkVerdict, scoringOf, type GraderEntry } from '../../native/grading.ts'
import type { Reading } from '../../native/native.ts'
import {
  durationSchema,
  groupSchema,
  idSchema,
  metadataSchema,
  scoringSchema,
} from '../../native/schema.ts'

const tagsSchema = z.union(
  [z.array(z.string()), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))],
  'a list of tags or a table of them',
)
const promptSchema = z
  .string()
  .refine((prompt) => prompt.trim() !== '', 'a prompt that is not blank')
const turnSchema = z.union(
  [promptSchema, z.looseObject({ prompt: promptSchema })],
  'text, or a table with a prompt',
)
const defaultsSchema = z.looseObject({
  runs: z.int().min(0).max(1_000_000).optional(),
  timeout: durationSchema.optional(),
  judge_model: z.string().min(1).optional(),
})
const stimulusSchema = z.looseObject({
  name: idSchema,
  prompt: promptSchema.optional(),
  turns: z.array(turnSchema).min(1).optional(),
  environment: environmentSchema.optional(),
  agent_environment: environmentSchema.optional(),
  grading_environment: environmentSchema.optional(),
  graders: z.array(z.unknown()).optional(),
  constraints: constraintsSchema.optional(),
  rubric: z.unknown().optional(),
  golden_patch: goldenPatchSchema.optional(),
  tags: tagsSchema.optional(),
  group: groupSchema.optional(),
  metadata: metadataSchema.optional(),
})
const fileSchema = z.looseObject({
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  tags: tagsSchema.optional(),
  environment: environmentSchema.optional(),
  agent_environment: environmentSchema.optional(),
  grading_environment: environmentSchema.optional(),
  defaults: defaultsSchema.optional(),
  config: defaultsSchema.optional(),
  scoring: z.looseObject(scoringSchema.shape).optional(),
  stimuli: z.array(z.unknown()).min(1),
})

type File = z.infer<typeof fileSchema>
type Stimulus = z.infer<typeof stimulusSchema>

export const isEvalYaml = (value: unknown): boolean =>
  isRecord(value) && Object.hasOwn(value, 'stimuli') && !Object.hasOwn(value, 'cases')

export async function readEvalYaml(
  document: Document,
  reading: Reading,
  fallbackId: string,
): Promise<LoadedSuite> {
  const notes = takeNotes(document)
  const file = check(fileSchema, document.value, notes)
  noteUnread(fileSchema, document.value, [], notes)
  if (file?.defaults !== undefined && file.config !== undefined)
    notes.problem(['config'], {
      at: 'key',
      found: 'defaults and config',
      expected: 'one of them, as they are two names of the same table',
    })
  const defaults = file?.defaults ?? file?.config
  if (defaults?.runs === 0)
    notes.unread(
      [file?.defaults === undefined ? 'config' : 'defaults', 'runs'],
      '(0) is not acted on',
    )

  noteAgentKeys(file?.environment, ['environment'], notes)
  noteAgentKeys(file?.agent_environment, ['agent_environment'], notes)

  const raw = isRecord(document.value) ? document.value['stimuli'] : undefined
  const items: readonly unknown[] = Array.isArray(raw) ? raw : []
  checkIds(
    items.map((item, index) => [index, isRecord(item) ? item['name'] : undefined] as const),
    (index) => ['stimuli', index, 'name'],
    notes,
  )

  const cases: Case[] = []
  const weighed = new Set<string>()
  const refuse = refuseOnce(notes)
  for (const [index, item] of items.entries()) {
    const path = ['stimuli', index]
    const given = check(stimulusSchema, item, notes, { path })
    noteUnread(stimulusSchema, item, path, notes)
    noteAgentKeys(given?.environment, [...path, 'environment'], notes)
    noteAgentKeys(given?.agent_environment, [...path, 'agent_environment'], notes)
    if (given !== undefined)
      cases.push(await readStimulus({ given, file, path, notes, reading, weighed, refuse }))
  }
  for (const key of Object.keys(file?.scoring?.weights ?? {}))
    if (!weighed.has(key)) notes.unread(['scoring', 'weights', key], 'names no grader in use')

  const id = idSchema.safeParse(file?.name).data ?? fallbackId
  return finish(
    {
      id,
      name: file?.name ?? id,
      description: file?.description ?? '',
      path: reading.path,
      format: 'eval-yaml',
      threshold: file?.scoring?.threshold ?? null,
      ...sharedBy(defaults),
      cases,
    },
    notes,
  )
}

type Defaults = z.infer<typeof defaultsSchema>

const trialsIn = ({ runs = 0 }: Defaults): number | null => (runs === 0 ? null : runs)

const defaultTimeout = ({ timeout }: Defaults): number | null =>
  timeout === undefined ? null : parseDuration(timeout)

/** Returns the defaults that all stimuli (cases) share, for settings that a run can also set. */
function sharedBy(defaults: Defaults = {}): Pick<Suite, 'defaults'> {
  const trials = trialsIn(defaults)
  const timeoutMs = defaultTimeout(defaults)
  if (trials === null && timeoutMs === null) return {}
  return {
    defaults: {
      ...(trials === null ? {} : { trials }),
      ...(timeoutMs === null ? {} : { timeoutMs }),
    },
  }
}

interface StimulusReading {
  readonly given: Stimulus
  readonly file: File | undefined
  readonly path: Path
  readonly notes: Notes
  readonly reading: Reading
  /** The names and types of graders that have been read. `weights` may refer to them. */
  readonly weighed: Set<string>
  readonly refuse: Notes['problem']
}

/**
 * Returns a function that reports each problem only once. Settings that all stimuli share are read again with each
 * stimulus, so their problems would be repeated.
 */
function refuseOnce(notes: Notes): Notes['problem'] {
  const told = new Set<string>()
  return (path, finding) => {
    const where = path.join('\u0000')
    if (!told.has(where)) notes.problem(path, finding)
    told.add(where)
  }
}

/** Graders that check the actions of an agent. A case with one of these graders needs a workspace. */
const ACTED = new Set([
  'tool-calls',
  'skill-invocation',
  'diff-contains',
  'diff-empty',
  'turn-count',
  'tool-call-count',
  'error-count',
])

async function readStimulus(at: StimulusReading): Promise<Case> {
  const { given, file, path, notes } = at
  const defaults = file?.defaults ?? file?.config ?? {}
  const patch = await readPatch(given.golden_patch, [...path, 'golden_patch'], at.reading, notes)
  const entries = readStimulusGraders(at, { model: defaults.judge_model ?? null, patch })
  const threshold = file?.scoring?.threshold
  const settled = scoringOf(entries, threshold === undefined ? undefined : { threshold }, undefined)
  checkVerdict(entries, settled, path, notes)
  const { constraints = {} } = given
  const limits = limitsIn(constraints)
  return sealCase({
    ...bareCase(given.name, turnsOf(at)),
    ...(await readEnvironments(
      [
        { given: file?.environment, path: ['environment'] },
        { given: file?.agent_environment, path: ['agent_environment'] },
        { given: given.environment, path: [...path, 'environment'] },
        { given: given.agent_environment, path: [...path, 'agent_environment'] },
      ],
      [
        { given: file?.grading_environment, path: ['grading_environment'] },
        { given: given.grading_environment, path: [...path, 'grading_environment'] },
      ],
      limits !== null || settled.graders.some(({ type }) => ACTED.has(type)),
      at.reading,
      at.refuse,
    )),
    limits,
    tags: [...new Set([...tagList(file?.tags), ...tagList(given.tags)])],
    ...(given.group === undefined ? {} : { group: given.group }),
    ...metadataOf({ ...tagTable(file?.tags), ...tagTable(given.tags), ...given.metadata }),
    graders: settled.graders,
    threshold: settled.threshold,
    trials: trialsIn(defaults),
    timeoutMs: timeoutIn(constraints) ?? defaultTimeout(defaults),
  })
}

function turnsOf({ given, path, notes }: StimulusReading): string[] {
  const both = given.prompt !== undefined && given.turns !== undefined
  if (both || (given.prompt === undefined && given.turns === undefined))
    notes.problem(path, {
      found: both ? 'prompt and turns' : 'neither prompt nor turns',
      expected: both ? 'either prompt or turns' : 'a prompt',
    })
  if (given.turns === undefined) return given.prompt === undefined ? [] : [given.prompt]
  return given.turns.map((turn) => (typeof turn === 'string' ? turn : turn.prompt))
}

function readStimulusGraders(at: StimulusReading, judging: JudgeDefaults): GraderEntry[] {
  const { given, file, path, notes, reading, weighed } = at
  const weights = file?.scoring?.weights ?? {}
  const entries: GraderEntry[] = []
  const names = new Set<string>()
  for (const [index, item] of (given.graders ?? []).entries()) {
    const twin = graderCounterpart(
      item,
      [...path, 'graders', index],
      reading.graders,
      notes,
      judging,
    )
    if (twin === null) continue
    weighed.add(twin.name).add(twin.type)
    let name = twin.name
    for (let i = 2; names.has(name); i++) name = `${twin.name}-${i}`
    names.add(name)
    const weight = weights[twin.name] ?? weights[twin.type] ?? null
    entries.push({ config: { ...twin.config, name }, weight, decides: true })
  }
  const rubric = rubricGrader({
    rubric: given.rubric,
    path: [...path, 'rubric'],
    reading,
    notes,
    judging,
    weight: weights['rubric'] ?? null,
    alone: entries.length === 0,
  })
  if (rubric !== null) {
    weighed.add('rubric')
    let name = rubric.config.name
    for (let i = 2; names.has(name); i++) name = `${rubric.config.name}-${i}`
    names.add(name)
    entries.push({ ...rubric, config: { ...rubric.config, name } })
  }
  if (judging.patch !== null && !entries.some(({ config }) => isJudgeGrade(config)))
    notes.unread(
      [...path, 'golden_patch'],
      'is not acted on: the stimulus has no judge to show it to',
    )
  const tools = constraintGrader(given.constraints ?? {}, {
    graders: reading.graders,
    path: [...path, 'constraints'],
    notes,
    alone: entries.length === 0,
  })
  if (tools === null) return entries
  let name = tools.config.name
  for (let i = 2; names.has(name); i++) name = `${tools.config.name}-${i}`
  return [...entries, { ...tools, config: { ...tools.config, name } }]
}

function tagList(tags: z.infer<typeof tagsSchema> | undefined): string[] {
  if (tags === undefined) return []
  if (Array.isArray(tags)) return tags
  return Object.entries(tags).map(([key, value]) => `${key}:${value}`)
}

/**
 * Returns tags that are a table. They are also stored as metadata, so that reports can group their figures by each
 * key.
 */
const tagTable = (tags: z.infer<typeof tagsSchema> | undefined): Record<string, Metadatum> =>
  tags === undefined || Array.isArray(tags) ? {} : tags

const metadataOf = (metadata: Readonly<Record<string, Metadatum>>): Pick<Case, 'metadata'> =>
  Object.keys(metadata).length === 0 ? {} : { metadata }

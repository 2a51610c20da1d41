/**
 * The code grader. It extracts the code from the answer. Then it has the code compiled, tested and linted in the
 * sandbox, and computes the score as the code-scoring specification describes. What the solution prints has no
 * influence on the score.
 */
import { z } from 'zod'
import {
  FIRST_INTEGRITY_NAMES,
  integrityNamed,
  parseGraderDuration,
  type Case,
  type GraderOutput,
  type Integrity,
  type Json,
} from '@assay/contract'
import { SandboxError, type Sandbox } from '@assay/sandbox'
import { assessFairly } from './time/alone.ts'
import { extractCode, type Extracted } from './extract/extract.ts'
import { expectedModules } from './extract/expected-modules.ts'
import { solutionModule } from './extract/needs.ts'
import { expectationsOf, gradeNoCode, gradeReport, withReason } from './score.ts'
import type { CodeReport, CodeWork, Language, LanguageTools, Tests } from './language.ts'
import { languageByName } from './languages.ts'
import { NeedsInProcess } from './fault/tests-fault.ts'
import { refuseFaultyTests } from './fault/whose-fault.ts'
import { toolsOf } from './open-tools.ts'
import { codeWeightsSchema, weightsOf } from './code-weights.ts'
import { timeSchema } from './time-schema.ts'
import { vendorOf } from './vendor.ts'

/** The remark on a grade for which `auto` chose the level `in-process`. It is not added if the suite set that level. */
const IN_PROCESS = 'tests in the process of the code: '
const ONLY_BESIDE = `${IN_PROCESS}the reference passes only there`
/**
 * The remark if the test source alone shows that the tests need `in-process`, so that the reference need not be run.
 */
const CHANGES = `${IN_PROCESS}they change its modules, clock or globals`

export const codeOptions = z
  .strictObject({
    timeout: timeSchema
      .optional()
      .describe(
        'Processor time for the code and its tests; the time on the clock is four times that. The run’s grade timeout unless given.',
      ),
    memoryMb: z
      .int()
      .min(16)
      .max(65_536)
      .default(512)
      .describe('Memory for the code and its tests, in megabytes.'),
    integrity: z
      .preprocess(
        (given) => (typeof given === 'string' ? (integrityNamed(given) ?? given) : given),
        z
          .enum(['auto', 'isolated', 'in-process'])
          // Options are part of the case hash, so a level must always have the same name there. Its original name is
          // used, so that the hash stays the same as in older versions.
          .transform((name) => (name === 'auto' ? name : FIRST_INTEGRITY_NAMES[name])),
      )
      .default('auto')
      .describe(
        '"isolated": the tests run in another process than the code and compare what comes back. "in-process": in the process of the code. "auto": isolated, unless the reference passes only with the tests in its process.',
      ),
    parts: codeWeightsSchema.optional(),
  })
  .describe('Compile, test and lint the code in the answer.')

export type CodeOptions = z.infer<typeof codeOptions>

/** The default options, for cases whose suite names no grader. */
export const codeDefaults = (): Json => codeOptions.parse({}) as Json

/** The input to grading: the answer and its case. */
export interface CodeInput {
  readonly case: Case
  readonly answer: string
  readonly files: Readonly<Record<string, string>>
  /** The folder of the suite, which holds vendored packages. Null if the suite was not read from a file. */
  readonly folder: string | null
}

export interface CodeContext {
  /** The signal that is aborted when the run stops. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly sandbox: Sandbox | null
}

/**
 * Grades an answer. Rejects with `SandboxError` if the sandbox or a tool failed before any code of the solution ran.
 */
export async function gradeCode(
  input: CodeInput,
  options: CodeOptions,
  context: CodeContext,
): Promise<GraderOutput> {
  const language = languageByName(input.case.language ?? '')
  if (language === undefined)
    throw new SandboxError(`there is no way to grade ${input.case.language ?? 'this language'}`)
  const extracted = extractCode(input.answer, input.files, input.case, language)
  if (extracted === null) return gradeNoCode()
  const { sandbox } = context
  if (sandbox === null) throw new SandboxError('code is graded in a sandbox, and there is none')
  const opened = toolsOf(language, sandbox)
  const tools: Assessing = { assess: (given) => assessFairly(opened, given, language) }
  const work = caseWork(input.case, input.folder, options, context)
  const forced = integrityOfTests(input.case, options, language)
  const fixed = forced ?? fixedIntegrity(input.case, options, language)
  const assessed = async (): Promise<Assessed> =>
    fixed === null
      ? assessApart(input.case, language, tools, work, extracted)
      : {
          report: await tools.assess({ ...work(extracted), integrity: fixed }),
          integrity: fixed,
        }
  const { report, integrity, why } = await assessed().catch(async (error: unknown) => {
    if (!(error instanceof NeedsInProcess) || isIntegrityGiven(options)) throw error
    const beside = await tools.assess({ ...work(extracted), integrity: 'in-process' })
    return { report: beside, integrity: 'in-process' as const, why: IN_PROCESS + error.what }
  })
  await refuseFaultyTests(report, {
    case: input.case,
    language,
    assess: (reference) =>
      tools.assess({ ...work(reference), lint: false, define: false, integrity }),
    integrity,
  })
  const output = gradeReport(report, input.case, integrity, weightsOf(options.parts))
  const told = report.again === undefined ? output : withReason(output, report.again)
  const chosen = forced === null ? why : CHANGES
  return chosen === undefined ? told : withReason(told, chosen)
}

/** `why`: the reason for which `auto` chose this level. Not set for the usual level. */
interface Assessed {
  readonly report: CodeReport
  readonly integrity: Integrity
  readonly why?: string
}

type Assessing = Pick<LanguageTools, 'assess'>
type WorkOn = (extracted: Extracted) => CodeWork

/**
 * Returns a function that turns a solution into a `CodeWork`, the input of a language's tools. All solutions of the
 * case share its settings.
 */
export function caseWork(
  one: Case,
  folder: string | null,
  given: CodeOptions,
  { signal, timeoutMs }: Pick<CodeContext, 'signal' | 'timeoutMs'>,
): WorkOn {
  const expected = expectationsOf(one)
  const vendor = folder === null ? null : vendorOf(folder)
  const language = languageByName(one.language ?? '')
  const module = language === undefined ? null : solutionModule(one, language)
  const modules = language === undefined ? null : expectedModules(one, language)
  return ({ files, main }) => ({
    // If the answer and the case both have a file with this path, the case's file is used, because tests may rely on
    // it.
    files: Object.fromEntries(
      Object.entries(files).filter(([path]) => path === main || !Object.hasOwn(one.files, path)),
    ),
    main,
    support: Object.fromEntries(Object.entries(one.files).filter(([path]) => path !== main)),
    module,
    ...(modules === null ? {} : { modules: [...modules] }),
    tests: expected.shouldCompile && expected.shouldPassTests ? testsOf(one, language) : null,
    lint: one.lint !== 'off' && expected.shouldCompile,
    integrity: 'isolated',
    define: expected.functions.length + expected.types.length > 0,
    format: one.format,
    edition: one.edition,
    includeIgnored: one.includeIgnored,
    allowUnsafe: one.allowUnsafe,
    dependencies: one.dependencies,
    vendor,
    limits: {
      cpuMs: parseGraderDuration(given.timeout ?? '') ?? timeoutMs,
      memoryBytes: given.memoryMb * 1024 * 1024,
    },
    signal,
  })
}

function testsOf(one: Case, language: Language | undefined): Tests | null {
  if (one.calls.length > 0 && one.entryPoint !== null)
    return { kind: 'calls', entryPoint: one.entryPoint, calls: one.calls }
  if (one.tests === null || one.tests.trim() === '') return null
  return {
    kind: 'source',
    source: one.tests,
    entryPoint: one.entryPoint,
    prelude: preludeOf(one),
    defines:
      one.reference === null
        ? []
        : (language?.source.defined(one.reference).map(({ name }) => name) ?? []),
  }
}

/**
 * Returns the prompt if the answer continues it, because the tests may call helper functions that the prompt defines.
 * The reference is never included. If it were, tests could call a function of the reference that the solution lacks.
 */
const preludeOf = (one: Case): string | null => (one.continuation ? one.turns.join('\n') : null)

// ── Integrity level ──────────────────────────────────────────────────────────────────────────────────

/**
 * Returns `in-process` if the test source shows that the tests cannot run isolated. There are two such kinds of
 * tests. The first mock modules of the solution. The second change its clock or globals, and the case has no
 * reference with which to try them isolated. Returns null in all other cases, and also if the suite sets a level.
 */
export function integrityOfTests(
  { tests, reference }: Pick<Case, 'tests' | 'reference'>,
  { integrity }: Pick<CodeOptions, 'integrity'>,
  language: Language,
): 'in-process' | null {
  if (tests === null || isIntegrityGiven({ integrity })) return null
  const need = language.inProcessNeeded?.(tests) ?? 'no'
  return need === 'always' || (need === 'perhaps' && reference === null) ? 'in-process' : null
}

/** True if the suite sets the integrity level instead of leaving it to `auto`. */
export const isIntegrityGiven = ({ integrity }: Pick<CodeOptions, 'integrity'>): boolean =>
  integrityNamed(integrity) !== undefined

/**
 * Returns the integrity level if it is known without running anything. Returns null if running the reference must
 * decide.
 */
function fixedIntegrity(
  one: Case,
  { integrity }: CodeOptions,
  language: Language,
): Integrity | null {
  if (!language.isolated) return 'in-process'
  const asked = integrityNamed(integrity)
  if (asked !== undefined) return asked
  return one.reference === null || one.tests === null ? 'isolated' : null
}

/**
 * Runs the tests isolated from the code whenever possible. Some tests cannot run isolated, because calls between two
 * processes cannot do all that they need. The case's reference shows which tests these are: it fails isolated and
 * passes in-process. Then an answer that failed isolated is run in-process. Only the reference decides this, so an
 * answer cannot influence it. If the answer passes isolated, the reference is not needed, so most cases never run it.
 */
async function assessApart(
  one: Case,
  language: Language,
  tools: Assessing,
  work: WorkOn,
  extracted: Extracted,
): Promise<Assessed> {
  const report = await tools.assess({ ...work(extracted), integrity: 'isolated' })
  const reference = extractCode(one.reference ?? '', {}, one, language)
  if (reference === null || !report.compiled || report.tests === null || passes(report))
    return { report, integrity: 'isolated' }
  if ((await needs(one, tools, work(reference))) === 'isolated')
    return { report, integrity: 'isolated' }
  const beside = await tools.assess({ ...work(extracted), integrity: 'in-process' })
  return { report: beside, integrity: 'in-process', why: ONLY_BESIDE }
}

const decided = new Map<string, Promise<Integrity>>()

/** Returns the integrity level that the case's tests need. It is determined once, with the reference alone. */
function needs(one: Case, tools: Assessing, work: CodeWork): Promise<Integrity> {
  const known = decided.get(one.hash)
  if (known !== undefined) return known
  const deciding = decide(tools, { ...work, lint: false, define: false })
  decided.set(one.hash, deciding)
  // If the sandbox fails, that says nothing about the case. So the result is removed from the cache.
  deciding.catch(() => decided.delete(one.hash))
  return deciding
}

async function decide(tools: Assessing, work: CodeWork): Promise<Integrity> {
  const holds = async (integrity: Integrity): Promise<boolean> =>
    passes(await tools.assess({ ...work, integrity }))
  const first = await tools.assess({ ...work, integrity: 'isolated', isReference: true })
  if (passes(first)) return 'isolated'
  // The process may have held other references, and one of them may have caused the failure. So try again in a new
  // process.
  if (first.isUsed === true && (await holds('isolated'))) return 'isolated'
  if (!(await holds('in-process'))) return 'isolated'
  // Try isolated once more. The first try may have failed only because the machine was busy.
  return (await holds('isolated')) ? 'isolated' : 'in-process'
}

const passes = ({ compiled, tests }: CodeReport): boolean =>
  compiled && tests !== null && tests.length > 0 && tests.every((test) => test.passed)

/**
 * Grades a solution so that neither other gradings nor a shortage of resources change its result. A solution may
 * exceed its time while others are graded, or fail while the machine is short of a resource such as memory. Then it
 * is graded once more, while nothing else is graded, and the second result counts. Before that, the language's
 * control program (a small correct program of Assay) shows whether the machine can grade at all.
 */
import { gradeFairly, type FairWork, type Soundness } from '@assay/sandbox'
import type { CodeReport, CodeWork, Language, LanguageTools } from '../language.ts'

/** Grades one solution. In tests, `watch` replaces the check for a shortage of resources. */
export async function assessFairly(
  tools: Pick<LanguageTools, 'assess'>,
  work: CodeWork,
  language: Pick<Language, 'main' | 'control'>,
  watch?: FairWork<CodeReport>['watch'],
): Promise<CodeReport> {
  const { result, again } = await gradeFairly({
    grade: () => tools.assess(work),
    soundness,
    isBeforeCode: ({ fault }) => fault?.byCompiler === true,
    control: async () => soundness(await tools.assess(controlWork(work, language))) === 'fine',
    exhausted: (short) => exhaustedReport(short),
    ...(watch === undefined ? {} : { watch }),
  })
  return again === undefined ? result : { ...result, again }
}

function soundness({ compiled, tests, fault }: CodeReport): Soundness {
  if (fault?.kind === 'timeout') return fault.idle === true ? 'failed' : 'late'
  if (fault !== null) return fault.kind === 'output' ? 'failed' : 'broken'
  return compiled && (tests === null || tests.every(({ passed }) => passed)) ? 'fine' : 'failed'
}

/**
 * Returns the work of grading the language's control program, with the same limits and the same kind of sandbox as
 * the given work.
 */
const controlWork = (
  work: CodeWork,
  { main, control }: Pick<Language, 'main' | 'control'>,
): CodeWork => ({
  ...work,
  files: { [main]: control.solution },
  main,
  module: null,
  support: {},
  tests:
    work.tests === null
      ? null
      : { kind: 'source', source: control.tests, entryPoint: null, prelude: null },
  define: false,
  format: null,
  edition: null,
  dependencies: [],
  vendor: null,
})

/**
 * Returns the report on a solution that cannot be graded because it uses up a resource of the machine. `short` is
 * that resource.
 */
const exhaustedReport = (short: string): CodeReport => ({
  compiled: false,
  errors: [],
  notes: [],
  tests: null,
  warnings: null,
  defined: null,
  fault: { kind: 'crash', text: `left the machine too few ${short} to be graded, also alone` },
})

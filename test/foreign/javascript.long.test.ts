/**
 * Runs unchanged test files in the forms of public exercise tracks, jest, vitest, node:test, and mocha with chai.
 * Each reference must pass. Each mutant must fail in exactly the tests in which the plain tool fails it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeDefaults, closeTools, gradeCode, type CodeOptions } from '@assay/code'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase } from '../../packages/assay/test/fakes.ts'
import { exercises, type Exercise } from './corpus.ts'
import { plainOutcomes, type Outcome } from './plain-tools.ts'

const isReady = (await inspectSandbox()).ready

describe.skipIf(!isReady)('test files that were not written for Assay', () => {
  const all = exercises()
  let sandbox: Sandbox
  let folder: string
  beforeAll(async () => {
    sandbox = await openSandbox('bubblewrap')
    folder = await mkdtemp(join(tmpdir(), 'assay-foreign-js-'))
  })
  afterAll(async () => {
    await closeTools()
    await sandbox.close()
    await rm(folder, { recursive: true })
  })

  async function graded(exercise: Exercise, source: string): Promise<Outcome & { why: string }> {
    const { name, language, tests, solutions } = exercise
    const one = fakeCase(name, {
      hash: `foreign-${name}`,
      language,
      lint: 'off',
      tests,
      reference: solutions[0] ?? null,
    })
    const output = await gradeCode(
      { case: one, answer: `\`\`\`${language}\n${source}\`\`\``, files: {}, folder: null },
      codeDefaults() as unknown as CodeOptions,
      { signal: new AbortController().signal, timeoutMs: 5000, sandbox },
    )
    const { failed = 0 } = (output.facts ?? {}) as { failed?: number }
    return { isPassed: output.passed === true, failed, why: JSON.stringify(output.details) }
  }

  it('there are at least 40, each with three mutants, in every style and both languages', () => {
    expect(all.length).toBeGreaterThanOrEqual(40)
    expect(
      all.filter(({ solutions }) => new Set(solutions).size !== 4).map((one) => one.name),
    ).toEqual([])
    expect(new Set(all.map(({ style }) => style)).size).toBe(4)
    expect(new Set(all.map(({ language }) => language)).size).toBe(2)
  })

  it('references pass, and mutants fail where the plain tool fails them', async () => {
    const plain = await plainOutcomes(folder, all)
    const differences: string[] = []
    const waiting = all.flatMap((one) =>
      one.solutions.map((source, index) => ({ one, source, index })),
    )
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { one, source, index } = next
        const what = `${one.name} ${index === 0 ? 'reference' : `mutant ${index}`}`
        const wanted = plain.get(one)?.[index]
        const ours = await graded(one, source).catch((error: unknown) => ({
          isPassed: null,
          failed: 0,
          why: String(error),
        }))
        if (index === 0 && wanted?.isPassed !== true)
          differences.push(`${what} fails with the plain tool`)
        if (
          ours.isPassed !== wanted?.isPassed ||
          (countsTests(one) && ours.failed !== wanted.failed)
        )
          differences.push(
            `${what}: plain ${JSON.stringify(wanted)}, Assay ${ours.isPassed} ${ours.failed} ${ours.why}`,
          )
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
    expect(differences).toEqual([])
    const survived = all
      .flatMap((one) => (plain.get(one) ?? []).filter((_, i) => i > 0))
      .filter(({ isPassed }) => isPassed)
    // A mutant that no test detects shows little, so only a few are allowed.
    expect(survived.length).toBeLessThanOrEqual(3)
  })
})

/** Node counts subtests and the tests around them separately. Assay counts them as one test. */
const countsTests = ({ tests }: Exercise): boolean => !/\bt\.test\(/.test(tests)

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { equalsGrader, fakeCall, fakeCase, fakeDiff, fakeTrajectory } from '../../../test/fakes.ts'
import { gradedAnswer, gradedWorkspace, judged } from '../../../test/grade-answer.ts'
import { suiteFolder } from '../../../test/suite-folder.ts'
import type { GraderConfig, Json } from '@assay/contract'
import { closeGraders, defineGrader, gradeAnswer, graderByType, GraderTimeout } from '../index.ts'

afterAll(closeGraders)

const WORDS = `
import type { CustomGrader } from 'assay'

export default {
  options: { least: 3 },
  grade({ answer }, { least }) {
    console.log('printed')
    const words: number = answer.split(' ').length
    return { score: Math.min(1, words / least), passed: words >= least, reason: words + ' words' }
  },
} satisfies CustomGrader<{ least: number }>
`

/** Returns the output of a grader in a file for an answer. */
async function custom(source: string, answer: string, options: object = {}, timeoutMs = 10_000) {
  const folder = await suiteFolder({ 'g.ts': source })
  return await judged('custom', { file: 'g.ts', options }, answer, { folder }, { timeoutMs })
}

/** Returns the source of a grader that writes to file descriptor 3, the channel for replies, itself. */
const writes = (expression: string): string => `import { writeSync } from 'node:fs'
export default { grade() { writeSync(3, ${expression}); return new Promise(() => {}) } }`

/** Returns why a grader's file, or options for it, are refused. */
async function faults(files: Record<string, string>, options: object): Promise<string> {
  const folder = await suiteFolder(files)
  const grader = graderByType('custom')
  const resolved = await grader?.resolve?.(grader.options.parse(options), folder)
  return JSON.stringify(resolved !== undefined && 'faults' in resolved ? resolved.faults : null)
}

describe('custom', () => {
  it('grades by a TypeScript file, with its options over their defaults', async () => {
    expect(await custom(WORDS, 'one two')).toEqual({
      score: 2 / 3,
      passed: false,
      reason: '2 words',
      evidence: 'printed:\nprinted\n',
    })
    expect(await custom(WORDS, 'one two', { least: 2 })).toMatchObject({ score: 1, passed: true })
  })

  it('has what it prints kept with its trial, behind its evidence, and told where it throws', async () => {
    const prints = (then: string): string =>
      `export default { grade() { console.error('why'); process.stdout.write('not'); ${then} } }`
    const evident = prints(`return { score: 1, passed: true, evidence: 'seen' }`)
    expect(await custom(evident, 'x')).toMatchObject({ evidence: 'seen\n\nprinted:\nwhy\nnot' })
    await expect(custom(prints(`throw new Error('no')`), 'x')).rejects.toThrow(
      /Error: no; it printed: why/u,
    )
  })

  it.each(['g.ts', 'g.js', 'g.mts'])('loads in a CommonJS project as %s', async (file) => {
    const source = 'export default { grade: () => true }'
    const project = { 'package.json': '{"type":"commonjs"}' }
    expect(await faults({ ...project, [file]: source }, { file })).toBe('null')
  })

  it('is given the case, the files and what the answer took', async () => {
    const folder = await suiteFolder({
      'g.mjs': `export default { grade: async (graded) => ({ score: null, passed: true, facts: graded }) }`,
    })
    const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 2, reasoning: 0 }
    const change = { folder, usage, files: { a: 'b' }, usd: 0.5, answerMs: 7 }
    const { facts } = await judged('custom', { file: 'g.mjs' }, 'the answer', change)
    const { folder: _, workspace: __, ...expected } = gradedAnswer('the answer', change)
    const named = { output: 'the answer', input: expected.case.turns.join('\n\n') }
    expect(facts).toEqual({ ...expected, ...named })
  })

  it('is given what an agent did and changed, as plain data', async () => {
    const source = `export default {
  grade: ({ trajectory, diff, ...rest }) =>
    trajectory.steps[0].name === 'Bash' && diff.changes[0].path === 'a.txt' && !('workspace' in rest),
}`
    const folder = await suiteFolder({ 'g.mjs': source })
    const change = {
      folder,
      trajectory: fakeTrajectory([fakeCall('Bash')]),
      diff: fakeDiff({ 'a.txt': 'new' }),
      workspace: gradedWorkspace({ 'a.txt': 'new' }),
    }
    expect((await judged('custom', { file: 'g.mjs' }, 'x', change)).passed).toBe(true)
  })

  it('may answer with a verdict alone', async () => {
    const source = `export default { grade: ({ answer }) => answer === 'yes' }`
    expect(await custom(source, 'yes')).toEqual({ score: 1, passed: true })
    expect(await custom(source, 'no')).toEqual({ score: 0, passed: false })
  })

  it.each([
    [
      'throws',
      `export default { grade() { throw new TypeError('oh\\u001b[2J') } }`,
      'TypeError: oh',
    ],
    ['ends its process', `export default { grade() { process.exit(0) } }`, 'ended by itself'],
    [
      'throws later, on its own',
      `export default { grade() { setTimeout(() => { throw new Error('late') }); return new Promise(() => {}) } }`,
      'Error: late',
    ],
    [
      'gives facts that are not valid JSON',
      `export default { grade: () => ({ score: 1, passed: true, facts: { at: NaN } }) }`,
      'facts must be JSON',
    ],
    ['gives nothing', `export default { grade() {} }`, 'found nothing'],
    ['scores 2', `export default { grade: () => ({ score: 2, passed: true }) }`, 'score must be'],
    [
      'misspells a key',
      `export default { grade: () => ({ score: 1, passed: true, reson: 'x' }) }`,
      'did you mean reason?',
    ],
    ['gives a function', `export default { grade: () => ({ score() {} }) }`, 'could not be cloned'],
    [
      'gives NaN',
      `export default { grade: () => ({ score: NaN, passed: true }) }`,
      'score must be',
    ],
  ])(
    'is the grader’s fault where it %s, and said to be so on the same answer again',
    async (_, source, why) => {
      const failure = await custom(source, 'x').catch((error: unknown) => error as Error)
      expect(failure).toBeInstanceOf(Error)
      expect(failure).not.toBeInstanceOf(GraderTimeout)
      const { message } = failure as Error
      expect(message).toContain('failed, and again on the same answer: ')
      expect(message).toContain(why)
      // oxlint-disable-next-line no-control-regex
      expect(message).not.toMatch(/[\u0000-\u001f]/)
    },
  )

  /**
   * These code paths were checked: the last message of a broken process, replies of suite modules
   * (suite/load.test.ts), and a repeated `ready` message.
   */
  it.each([
    `{"failed":{"toString":1,"valueOf":1},"limit":false}\n`,
    `{"failed":"x","limit":{}}\n`,
    `{"broken":{"toString":1,"valueOf":1}}\n`,
    `{"failed":null}\n`,
    `[1e999]\n`,
    `null\n`,
    `1e308\n`,
    `{"found":{"score":1e308,"passed":true}}\n`,
    `{}\n`,
    `\u0000\n`,
    `{"failed":{}}\n{"broken":[]}\n{"found":true}\n`,
  ])('is the grader’s fault where it writes %j itself', async (written) => {
    await expect(custom(writes(JSON.stringify(written)), 'x')).rejects.toThrow(
      'failed, and again on the same answer: ',
    )
  })

  it('is the grader’s fault where it writes what is not UTF-8', async () => {
    const source = writes('Uint8Array.of(0xff, 0xfe, 0x0a)')
    await expect(custom(source, 'x')).rejects.toThrow('something else than a reply')
  })

  it('gets no more time by saying again that it is ready', async () => {
    const source = `import { writeSync } from 'node:fs'
export default { grade: () => new Promise(() => setInterval(() => writeSync(3, '"ready"\\n'), 20)) }`
    await expect(custom(source, 'x', {}, 300)).rejects.toThrow(GraderTimeout)
  })

  it('is asked once more before that', async () => {
    const source = `let calls = 0
export default { grade() { calls++; if (calls === 1) throw new Error('once'); return true } }`
    expect(await custom(source, 'x')).toEqual({ score: 1, passed: true })
  })

  it('is ended at the deadline without holding up this thread', async () => {
    const source = `export default { grade({ answer }) { return /(a+)+b/.test(answer) } }`
    let turns = 0
    const timer = setInterval(() => turns++, 10)
    await expect(custom(source, 'a'.repeat(40), {}, 200)).rejects.toThrow(GraderTimeout)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
  })

  it('fails the trial where the answer takes it past its memory', async () => {
    const source = `export default {
  grade() { const all = []; for (;;) all.push(new Array(1e6).fill(0.5)) },
}`
    await expect(custom(source, 'x', {}, 60_000)).rejects.toThrow(
      new GraderTimeout('needed more than 512 MB of memory'),
    )
  })

  it('has none of the variables, and leaves no process behind', async () => {
    const source = `import { spawn } from 'node:child_process'
export default {
  grade() {
    const { pid } = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
    return { score: 1, passed: true, facts: { pid, names: Object.keys(process.env) } }
  },
}`
    const { facts } = await custom(source, 'x')
    const { pid, names } = facts as { pid: number; names: string[] }
    expect(names).toEqual(['ASSAY_TRIAL'])
    await closeGraders()
    // The process was killed, but the system may take a while to remove it from the process table.
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 20_000)
  })

  it('makes the trial errored under the name that the case gives it', async () => {
    const folder = await suiteFolder({
      'g.ts': `export default { grade() { throw new Error('x') } }`,
    })
    const grader = graderByType('custom')
    const resolved = await grader?.resolve?.(grader.options.parse({ file: 'g.ts' }), folder)
    if (resolved === undefined || !('options' in resolved)) throw new Error('not resolved')
    const config: GraderConfig = {
      ...equalsGrader('x'),
      type: 'custom',
      name: 'mine',
      options: resolved.options as Json,
    }
    const graded = { ...gradedAnswer('x', { folder }), case: fakeCase('c', { graders: [config] }) }
    const grading = gradeAnswer(graded, {
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      random: () => 0,
      text: (text) => Promise.resolve(text),
    })
    await expect(grading).rejects.toMatchObject({ name: 'GraderFailure', grader: 'mine' })
  })

  it('is refused early where it cannot work', async () => {
    expect(await faults({}, { file: 'g.ts' })).toContain('no such file')
    expect(await faults({ 'g.ts': 'export const a = 1' }, { file: 'g.ts' })).toContain(
      'no default export',
    )
    expect(await faults({ 'g.ts': 'throw new Error("top")' }, { file: 'g.ts' })).toContain('top')
    expect(await faults({ 'g.ts': WORDS }, { file: 'g.ts', options: { leest: 1 } })).toContain(
      '"nearest":"least"',
    )
    expect(await faults({ 'g.ts': WORDS }, { file: 'g.ts', options: { least: 'x' } })).toContain(
      'a number',
    )
    const sha256 = '0'.repeat(64)
    expect(await faults({ 'g.ts': WORDS }, { file: 'g.ts', sha256 })).toContain('with the hash')
  })

  it('says in which line it throws, or how to find the line', async () => {
    const broken = await faults({ 'g.mjs': 'const a = 1\nexport default (' }, { file: 'g.mjs' })
    expect(broken).toContain(
      'g.mjs, which does not load: SyntaxError: Unexpected end of input; `node --check g.mjs` shows the line',
    )
    const top = await faults({ 'g.mjs': '\nthrow new Error("top")' }, { file: 'g.mjs' })
    expect(top).toContain('g.mjs, which does not load: Error: top (g.mjs:2)')
  })

  it('gets the answer as output, with what was asked and expected', async () => {
    const source = `export default {
      grade: ({ output, answer, input, expected }) =>
        ({ score: 1, passed: true, facts: { output, answer, input, expected: expected ?? null } }),
    }`
    const folder = await suiteFolder({ 'g.mjs': source })
    const grader = graderByType('custom')
    const resolved = await grader?.resolve?.(grader.options.parse({ file: 'g.mjs' }), folder)
    if (resolved === undefined || !('options' in resolved)) throw new Error('not resolved')
    const context = { timeoutMs: 10_000, signal: new AbortController().signal, random: () => 0 }
    const factsOf = async (given: Parameters<NonNullable<typeof grader>['grade']>[0]) =>
      (await grader?.grade(given, resolved.options, context as never))?.facts
    const asked = { ...gradedAnswer('x', { folder }), case: fakeCase('c') }
    const input = asked.case.turns.join('\n\n')
    expect(await factsOf(asked)).toEqual({ output: 'x', answer: 'x', input, expected: null })
    const returned = {
      ...gradedAnswer('{"a":1}', { folder }),
      isJson: true as const,
      case: fakeCase('c', { input: [2], expected: 3 }),
    }
    expect(await factsOf(returned)).toEqual({
      output: { a: 1 },
      answer: '{"a":1}',
      input: [2],
      expected: 3,
    })
  })

  it('imports other files of a CommonJS project as TypeScript writes them', async () => {
    const folder = {
      'package.json': '{"type":"commonjs"}',
      'lib/words.ts': 'export enum Least { Words = 3 }\n',
      'g.ts': `import { Least } from './lib/words'
export default { options: { least: Least.Words }, grade: ({ output }: { output: string }) => output !== '' }`,
    }
    expect(await faults(folder, { file: 'g.ts', options: { least: 'x' } })).toContain('a number')
  })

  it('does not run a file that has changed since the suite was read', async () => {
    const folder = await suiteFolder({ 'g.ts': WORDS })
    const grader = graderByType('custom')
    const resolved = await grader?.resolve?.(grader.options.parse({ file: 'g.ts' }), folder)
    if (resolved === undefined || !('options' in resolved)) throw new Error('not resolved')
    const { writeFile } = await import('node:fs/promises')
    await writeFile(join(folder, 'g.ts'), `${WORDS}// changed`)
    await closeGraders()
    const given = resolved.options as { readonly sha256: string }
    expect(given.sha256).toMatch(/^[\da-f]{64}$/)
    const context = {
      signal: new AbortController().signal,
      timeoutMs: 10_000,
      sandbox: null,
      random: () => 0,
    }
    await expect(grader?.grade(gradedAnswer('x', { folder }), given, context)).rejects.toThrow(
      'has changed since the suite was read',
    )
  })

  it('can be written with its options inferred', () => {
    const grader = defineGrader({
      options: { word: 'x' },
      grade: ({ answer }, { word }) => answer.includes(word.toLowerCase()),
    })
    expect(grader.options).toEqual({ word: 'x' })
  })
})

/**
 * These code paths were checked: a link to the file itself, a link to a folder on its path, and a link within the
 * repository, which is followed.
 */
describe('a custom grader that is a link', () => {
  it('is refused outside of the repository, without its hash, and read inside', async () => {
    const outside = await suiteFolder({ 'private.mjs': 'secret', 'own.mjs': 'x' })
    const folder = await suiteFolder({ 'real.mjs': 'export default {}' })
    symlinkSync(join(outside, 'private.mjs'), join(folder, 'out.mjs'))
    symlinkSync(outside, join(folder, 'way'))
    symlinkSync('real.mjs', join(folder, 'in.mjs'))
    const grader = graderByType('custom')
    const asked = async (file: string): Promise<string> => {
      const options = grader?.options.parse({ file, sha256: '0'.repeat(64) })
      return JSON.stringify(await grader?.resolve?.(options, folder, { how: 'check' }))
    }
    for (const file of ['out.mjs', 'way/own.mjs']) {
      expect(await asked(file)).toContain('no such file')
      expect(await asked(file)).not.toMatch(/[\da-f]{64}/)
    }
    expect(await asked('in.mjs')).toContain('a file with the hash')
  })
})

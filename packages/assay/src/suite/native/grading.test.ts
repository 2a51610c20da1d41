import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { suiteFolder } from '../../../test/suite-folder.ts'
import { closeGraders, graders } from '../../grade/index.ts'
import { keysAt } from '../../documents/check.ts'
import { loadSuite, type LoadedSuite } from '../index.ts'
import { SuiteError } from '../../documents/index.ts'
import { COMMON_GRADER_KEYS } from './schema.ts'

afterAll(closeGraders)

/** Writes a suite into its own folder and loads it with all graders of Assay. */
async function load(
  suite: object | string,
  files: Record<string, string> = {},
  allowModules = true,
): Promise<LoadedSuite> {
  const name = typeof suite === 'string' ? 'suite.yaml' : 'suite.json'
  const text = typeof suite === 'string' ? suite : JSON.stringify(suite)
  const folder = await suiteFolder({ ...files, [name]: text })
  return await loadSuite(path.join(folder, name), { graders, allowModules })
}

async function problems(...given: Parameters<typeof load>): Promise<string[]> {
  try {
    await load(...given)
  } catch (error) {
    if (error instanceof SuiteError)
      return error.problems.map(({ message }) => message.replace(/ Allowed are .*$/u, ''))
    throw error
  }
  return []
}

const graded = (...list: object[]): object => ({
  id: 's',
  cases: [{ id: 'a', prompt: 'p', graders: list }],
})

describe('a misspelt option', () => {
  const options = graders.flatMap(({ type, options: schema }) =>
    keysAt(schema, []).map((key) => [type, key] as const),
  )

  it.each(options)('of %s is answered with %s', async (type, key) => {
    const slip = key.length > 3 ? key.slice(0, -2) + key.slice(-1) : `${key}x`
    const said = await problems(graded({ type, [slip]: 1 }))
    expect(said.filter((one) => one.includes('unknown key'))).toEqual([
      `cases[0].graders[0].${slip}: unknown key; did you mean ${key}?`,
    ])
  })

  it('has never the name of one that all graders have', () => {
    const shared = options.filter(([, key]) => COMMON_GRADER_KEYS.includes(key))
    expect(shared).toEqual([])
  })

  it('also is one of the common keys', async () => {
    expect(await problems(graded({ type: 'equals', value: 'x', wieght: 2 }))).toEqual([
      'cases[0].graders[0].wieght: unknown key; did you mean weight?',
    ])
  })

  it('also is the type', async () => {
    expect((await problems(graded({ type: 'file-contain' })))[0]).toContain(
      'did you mean file-contains?',
    )
  })

  it('of a custom grader is answered with its own', async () => {
    const source = 'export default { options: { least: 3 }, grade: () => true }'
    const said = await problems(graded({ type: 'custom', file: 'g.ts', options: { lest: 1 } }), {
      'g.ts': source,
    })
    expect(said).toEqual([
      'cases[0].graders[0].options.lest: expected one of least, found the option "lest"; did you mean least?',
    ])
  })
})

describe('graders of a suite', () => {
  it('are shared by all cases, each with weight, required, negate and name; a case overrides them', async () => {
    const { suite } = await load({
      id: 's',
      graders: [
        { type: 'numeric', value: 1, weight: 3, required: true, name: 'one' },
        { type: 'file-exists', path: 'x', negate: true },
      ],
      scoring: { weights: { 'file-exists': 0.5 } },
      cases: [
        { id: 'shared', prompt: 'p' },
        { id: 'weighed', prompt: 'p', scoring: { weights: { one: 7 } } },
        { id: 'own', prompt: 'p', graders: [{ type: 'similarity', value: 'x' }] },
      ],
    })
    const [shared, weighed, own] = suite.cases.map((one) =>
      one.graders.map(({ name, type, weight, required, negate }) => ({
        name,
        type,
        weight,
        required,
        negate,
      })),
    )
    const file = {
      name: 'file-exists',
      type: 'file-exists',
      weight: 0.5,
      required: false,
      negate: true,
    }
    const one = { name: 'one', type: 'numeric', weight: 3, required: true, negate: false }
    expect(shared).toEqual([one, file])
    expect(weighed).toEqual([{ ...one, weight: 7 }, file])
    expect(own).toMatchObject([{ type: 'similarity', weight: 1 }])
  })
})

describe('graders that run with the user’s rights', () => {
  const mine = graded(
    { type: 'custom', file: 'g.ts' },
    { type: 'program', command: ['./check.sh'] },
  )
  const files = {
    'g.ts': 'export default { grade: () => true }',
    'check.sh': 'echo',
  }

  it('are refused, and not run, in a suite that the user did not name', async () => {
    const bomb = { ...files, 'g.ts': 'globalThis.process.kill(process.pid)' }
    expect(await problems(mine, bomb, false)).toEqual([
      'cases[0].graders[0].type: expected it only in a suite that is allowed to run programs, found the grader "custom", which runs with your rights',
      'cases[0].graders[1].type: expected it only in a suite that is allowed to run programs, found the grader "program", which runs with your rights',
    ])
  })

  it('make another case of it when their files change', async () => {
    const hashOf = async (given: Record<string, string>) => (await load(mine, given)).suite.hash
    const before = await hashOf(files)
    expect(await hashOf(files)).toBe(before)
    expect(await hashOf({ ...files, 'g.ts': `${files['g.ts']}\n` })).not.toBe(before)
    expect(await hashOf({ ...files, 'check.sh': 'exit 0' })).not.toBe(before)
  })

  it('stay in the suite’s folder', async () => {
    for (const file of ['../g.ts', '/tmp/g.ts', 'g.py'])
      expect(await problems(graded({ type: 'custom', file }), files)).toHaveLength(1)
  })
})

describe('an eval YAML', () => {
  const stimulus = (grader: string): string => `stimuli:
  - name: a
    prompt: p
    graders:
      - ${grader}
`

  it.each([
    ['{type: completed}', 'completed', {}],
    ['{type: exit-success}', 'matches', { pattern: '^', flags: '' }],
    ['{type: file-exists, config: {path: ./a.txt}}', 'file-exists', { path: 'a.txt' }],
    [
      '{type: file-contains, config: {path: a, substring: x}}',
      'file-contains',
      { path: 'a', value: 'x', ignoreCase: true },
    ],
    [
      '{type: file-matches, config: {path: a, pattern: "(?i)x"}}',
      'file-matches',
      { path: 'a', pattern: 'x', flags: 'i' },
    ],
    [
      '{type: run-command, config: {command: npm, args: [test], expected_exit_code: 1, stdout_contains: ok, stderr_contains: [a, b], stdout_matches: "(?m)^x", timeout: 30s, env: {A: b}}}',
      'run',
      {
        command: ['npm', 'test'],
        exitCode: 1,
        stdoutContains: 'ok',
        stderrContains: ['a', 'b'],
        stdoutMatches: '^x',
        flags: 'm',
        timeout: '30s',
        env: { A: 'b' },
        input: '',
        memoryMb: 1024,
      },
    ],
    ['{type: run-command, config: {command: npm test}}', 'run', { command: 'npm test' }],
    [
      '{type: tool-calls, config: {required: [bash, {name: edit}], disallowed: [web], sequence: [a, b]}}',
      'tool-calls',
      { expected: ['bash', 'edit'], disallowed: ['web'], sequence: ['a', 'b'] },
    ],
    [
      '{type: skill-invocation, config: {required: [pdf], disallowed: []}}',
      'skill-invocation',
      { expected: ['pdf'] },
    ],
    [
      '{type: diff-contains, config: {substring: x, path: ./src/a.ts}}',
      'diff-contains',
      { value: 'x', ignoreCase: true, path: 'src/a.ts', in: 'added' },
    ],
    [
      '{type: diff-contains, config: {pattern: "(?i)x"}}',
      'diff-contains',
      { pattern: 'x', flags: 'i' },
    ],
    ['{type: diff-empty}', 'diff-empty', {}],
    [
      '{type: tool-call-count, config: {max: 3, tool: bash}}',
      'tool-call-count',
      { max: 3, tool: 'bash' },
    ],
    ['{type: turn-count, config: {max: 3}}', 'turn-count', { max: 3 }],
    ['{type: error-count, config: {max: 0, min: 0}}', 'error-count', { max: 0, min: 0 }],
    ['{type: token-budget, config: {max: 500}}', 'token-budget', { max: 500, of: 'all' }],
    ['{type: wall-time, config: {max: 30s}}', 'time-budget', { max: '30s' }],
  ])('has a twin for %s', async (grader, type, options) => {
    const { suite, warnings } = await load(stimulus(grader))
    expect(suite.cases[0]?.graders).toMatchObject([{ type, negate: false, options }])
    expect(warnings).toEqual([])
  })

  it.each([
    '{type: file-not-exists, config: {path: a}}',
    '{type: file-exists, negate: true, config: {path: a}}',
    '{type: file-exists, config: {path: a, negate: true}}',
    '{type: diff-not-contains, config: {substring: a}}',
    '{type: diff-not-empty}',
  ])('turns %s round', async (grader) => {
    const { suite } = await load(stimulus(grader))
    const type = /type: (\w+)-(?:not-)?(\w+)/.exec(grader)?.slice(1).join('-')
    expect(suite.cases[0]?.graders).toMatchObject([{ type, negate: true }])
  })

  it('has the tools of its constraints as a grader that only takes away', async () => {
    const constrained = (list: string) => `stimuli:
  - {name: a, prompt: p, constraints: {expect_tools: [bash], reject_tools: [web]}, graders: ${list}}
`
    const { suite } = await load(constrained('[{type: output-contains, config: {value: x}}]'))
    expect(suite.cases[0]?.graders).toMatchObject([
      { type: 'contains', weight: 1 },
      {
        type: 'tool-calls',
        name: 'constraints',
        weight: 0,
        required: true,
        options: { expected: ['bash'], disallowed: ['web'] },
      },
    ])
    const alone = await load(constrained('[]'))
    expect(alone.suite.cases[0]?.graders).toMatchObject([{ name: 'constraints', weight: 1 }])
    expect(alone.suite.cases[0]?.workspace).not.toBeNull()
  })

  it('says what it leaves out, and why', async () => {
    const said = async (type: string) =>
      (await load(stimulus(`{type: ${type}, config: {}}`))).warnings.map(({ text }) => text)
    expect(await said('program')).toContain(
      'stimuli[].graders[] ("program") is left out: a program runs with your rights: write it as a program grader in a suite of Assay’s own format',
    )
    expect((await said('telepathy')).join()).toContain('the grader is not available')
  })

  it('is refused where a config is wrong', async () => {
    expect(await problems(stimulus('{type: run-command, config: {args: [x]}}'))).toEqual([
      'stimuli[0].graders[0].config: the key command is missing, expected text',
    ])
    expect((await problems(stimulus('{type: file-exists, config: {path: ../x}}')))[0]).toContain(
      'a relative path',
    )
  })
})

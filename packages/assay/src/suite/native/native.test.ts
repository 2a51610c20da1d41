import { describe, expect, it } from 'vitest'
import { loadText, problemsOf } from '../../../test/suite-folder.ts'

const CASE_KEYS =
  'id, name, description, prompt, turns, system, vars, input, expected, language, tests, calls, entryPoint, module, continuation, stop, expectations, ' +
  'reference, faulty, files, tags, group, metadata, graders, scoring, trials, timeout, maxTokens, dependencies, lint, format, edition, includeIgnored, allowUnsafe, ' +
  'workspace, limits'

const FULL = `
id = "s"
name = "Suite"
description = "About"

[defaults]
language = "TS"
trials = 3
timeout = "2m"
maxTokens = 100
dependencies = [{ name = "zod", version = "4" }]

[scoring]
threshold = 0.5
weights = { contains = 3, strict = 5 }

[[graders]]
type = "contains"
value = "x"

[[cases]]
id = "plain"
prompt = "Ask"

[[cases]]
id = "own"
name = "Own"
description = "d"
turns = ["one", "two"]
language = "golang"
tests = "t"
entryPoint = "f"
continuation = true
stop = ["\\n}"]
reference = "r"
faulty = ["a", "b"]
tags = ["x", "y"]
trials = 1
timeout = 1.5
maxTokens = 7
dependencies = [{ name = "a", features = ["z"] }]
files = { "src/a.ts" = "text" }
expectations = { shouldCompile = false, functions = ["f"], maxWarnings = 2 }
scoring = { threshold = 0.9, weights = { equals = 0 } }
graders = [
  { type = "equals", value = "v", weight = 4 },
  { type = "contains", value = "p", name = "strict", required = true, negate = true },
  { type = "contains", value = "q", weight = 7 },
  { type = "contains", value = "r" },
]
`

describe('a sound suite', () => {
  it('takes defaults and shared graders into cases that have none of their own', async () => {
    const { suite, warnings } = await loadText('s.toml', FULL)
    expect(warnings).toEqual([])
    expect(suite).toMatchObject({
      id: 's',
      name: 'Suite',
      description: 'About',
      format: 'assay',
      threshold: 0.5,
    })
    expect(suite.cases[0]).toEqual({
      id: 'plain',
      name: 'plain',
      description: '',
      turns: ['Ask'],
      language: 'typescript',
      tests: null,
      calls: [],
      entryPoint: null,
      module: null,
      continuation: false,
      stop: [],
      expectations: null,
      reference: null,
      faulty: [],
      files: {},
      tags: [],
      graders: [
        {
          type: 'contains',
          name: 'contains',
          weight: 3,
          required: false,
          negate: false,
          options: { value: 'x', ignoreCase: false },
        },
      ],
      threshold: 0.5,
      trials: 3,
      timeoutMs: 120_000,
      maxTokens: 100,
      dependencies: [{ name: 'zod', version: '4', features: [] }],
      lint: null,
      format: null,
      edition: null,
      includeIgnored: false,
      allowUnsafe: false,
      workspace: null,
      limits: null,
      hash: expect.stringMatching(/^[\da-f]{32}$/) as string,
    })
  })

  it('lets a case override all of it', async () => {
    const { suite } = await loadText('s.toml', FULL)
    expect(suite.cases[1]).toMatchObject({
      name: 'Own',
      turns: ['one', 'two'],
      language: 'go',
      entryPoint: 'f',
      continuation: true,
      stop: ['\n}'],
      reference: 'r',
      faulty: ['a', 'b'],
      tags: ['x', 'y'],
      files: { 'src/a.ts': 'text' },
      threshold: 0.9,
      trials: 1,
      timeoutMs: 1500,
      maxTokens: 7,
      dependencies: [{ name: 'a', version: null, features: ['z'] }],
      expectations: {
        shouldCompile: false,
        shouldPassTests: true,
        maxWarnings: 2,
        functions: ['f'],
        types: [],
        customCheck: null,
      },
    })
  })

  it('settles weights: the case’s table, the grader, the suite’s table; a name before a type', async () => {
    const { suite } = await loadText('s.toml', FULL)
    expect(suite.cases[1]?.graders.map(({ name, weight }) => [name, weight])).toEqual([
      ['equals', 0],
      ['strict', 5],
      ['contains', 7],
      ['contains-2', 3],
    ])
  })

  it('reads long texts from files beside it', async () => {
    const text = `
      id = "s"
      [[cases]]
      id = "a"
      prompt = { file = "texts/p.md" }
      tests = { file = "a.test.ts" }
      reference = { file = "ok.ts" }
      faulty = ["inline", { file = "texts/bad.ts" }]
      files = { "data.csv" = { file = "data.csv" } }
      graders = [{ type = "equals", value = "x" }]`
    const { suite } = await loadText('s.toml', text, {
      'texts/p.md': 'Ask\r\nme',
      'a.test.ts': 'test',
      'ok.ts': 'ok',
      'texts/bad.ts': 'bad',
      'data.csv': 'a\r\nb',
    })
    expect(suite.cases[0]).toMatchObject({
      turns: ['Ask\nme'],
      tests: 'test',
      reference: 'ok',
      faulty: ['inline', 'bad'],
      // The content of `files` is not changed. Even its line endings stay as they are.
      files: { 'data.csv': 'a\r\nb' },
    })
  })

  it('may leave a case unscored, and says so when that is all of them', async () => {
    const some = await loadText(
      's.yaml',
      'id: s\ncases: [{id: a, prompt: p}, {id: b, prompt: p, graders: [{type: equals, value: x}]}]',
    )
    expect(some.warnings).toEqual([])
    const none = await loadText('s.yaml', 'id: s\ncases: [{id: a, prompt: p}, {id: b, prompt: p}]')
    expect(none.warnings.map(({ text }) => text)).toEqual([
      'no case has a grader: all 2 cases stay unscored',
    ])
    const code = await loadText('s.yaml', 'id: s\ncases: [{id: a, prompt: p, tests: t}]')
    expect(code.warnings.map(({ text }) => text)).toEqual([
      'the only case is code that cannot be graded here (no language): it stays unscored',
    ])
  })
})

describe('a case that is code', () => {
  const one = async (lines: string) => (await loadText('s.yaml', asked(lines))).suite.cases[0]

  it('has the code grader, whether the suite says so or not', async () => {
    const tested = await one('    language: py\n    tests: t')
    expect(tested?.graders).toEqual([
      {
        type: 'code',
        name: 'code',
        weight: 1,
        required: false,
        negate: false,
        options: { memoryMb: 512, integrity: 'auto' },
      },
    ])
    const also = await one(
      '    language: py\n    tests: t\n    graders: [{type: contains, value: x}]',
    )
    expect(also?.graders.map(({ type }) => type)).toEqual(['contains', 'code'])
    const own = await one(
      '    language: py\n    tests: t\n    graders: [{type: code, timeout: 2s}]',
    )
    expect(own?.graders).toMatchObject([{ type: 'code', options: { timeout: '2s' } }])
  })

  it('has none where the author wants none', async () => {
    expect((await one('    language: py\n    tests: t\n    graders: []'))?.graders).toEqual([])
  })

  it('may have its tests as data', async () => {
    const calls = '    calls: [{args: [1], returns: 2}, {args: [], throws: ValueError}]'
    const given = await one(`    language: python\n    entryPoint: f\n${calls}`)
    expect(given?.calls).toEqual([
      { args: [1], returns: 2 },
      { args: [], throws: 'ValueError' },
    ])
    expect(given?.graders).toHaveLength(1)
  })
})

/** Returns a suite in YAML with one case, to which these lines are added. */
const withCase = (lines: string): string => `id: s\ncases:\n  - id: a\n${lines}`
const asked = (lines: string): string => withCase(`    prompt: p\n${lines}`)

describe('what is refused', () => {
  it.each([
    ['an empty file', '', ['1:1: expected a table, found null']],
    [
      'no cases',
      'id: s',
      ['1:1: the key cases is missing, expected a list (or data, whose rows are cases)'],
    ],
    [
      'an empty list of cases',
      'id: s\ncases: []',
      ['2:8: cases: expected a list with at least one entry, found an empty list'],
    ],
    [
      'an unknown key of the suite',
      'id: s\nnmae: x\ncases: [{id: a, prompt: p}]',
      ['2:1: nmae: unknown key; did you mean name?'],
    ],
    [
      'an unknown key far from all others',
      asked('    zzzzzzz: 1'),
      [`5:5: cases[0].zzzzzzz: unknown key, expected one of ${CASE_KEYS}`],
    ],
    [
      'a key that another language has',
      asked('    language: python\n    edition: "2024"\n    allowUnsafe: true\n    format: script'),
      [
        '6:5: cases[0].edition: expected a case of another language, or no such key, found edition in a case of python',
        '7:5: cases[0].allowUnsafe: expected a case of another language, or no such key, found allowUnsafe in a case of python',
        '8:5: cases[0].format: expected a case of another language, or no such key, found format in a case of python',
      ],
    ],
    [
      'calls without the function they call',
      asked('    language: python\n    calls: [{args: [], returns: 1}]'),
      [
        '6:5: cases[0].calls: expected entryPoint, the function that is called, found calls without entryPoint',
      ],
    ],
    [
      'calls beside tests',
      asked(
        '    language: python\n    entryPoint: f\n    tests: t\n    calls: [{args: [], returns: 1}]',
      ),
      ['8:5: cases[0].calls: expected either tests or calls, found tests and calls'],
    ],
    [
      'calls for Rust',
      asked('    language: rust\n    entryPoint: f\n    calls: [{args: [], returns: 1}]'),
      ['7:5: cases[0].calls: expected tests: data has no Rust types, found calls in a Rust case'],
    ],
    [
      'a code grader for a language that is not there',
      asked('    language: cobol\n    graders: [{type: code}]'),
      [
        '3:5: cases[0]: expected one of typescript, javascript, python, rust for the code grader, found the language "cobol"',
      ],
    ],
    [
      'a key in the style of other tools',
      asked('    max_tokens: 5'),
      ['5:5: cases[0].max_tokens: unknown key; did you mean maxTokens?'],
    ],
    [
      'a blank prompt',
      withCase('    prompt: "  "'),
      ['4:13: cases[0].prompt: expected a prompt that is not blank, found blank text'],
    ],
    [
      'a blank turn',
      withCase('    turns: [x, ""]'),
      ['4:16: cases[0].turns[1]: expected a prompt that is not blank, found blank text'],
    ],
    [
      'no prompt',
      withCase(''),
      ['3:5: cases[0]: expected a prompt, found neither prompt nor turns'],
    ],
    [
      'prompt and turns',
      asked('    turns: [x]'),
      ['5:5: cases[0].turns: expected either prompt or turns, found prompt and turns'],
    ],
    [
      'a threshold above 1',
      asked('    scoring: {threshold: 1.5}'),
      ['5:26: cases[0].scoring.threshold: expected a number of at most 1, found 1.5'],
    ],
    [
      'a threshold below 0',
      asked('    scoring: {threshold: -0.1}'),
      ['5:26: cases[0].scoring.threshold: expected a number of at least 0, found -0.1'],
    ],
    [
      'no trials',
      asked('    trials: 0'),
      ['5:13: cases[0].trials: expected a number of at least 1, found 0'],
    ],
    [
      'half a trial',
      asked('    trials: 1.5'),
      ['5:13: cases[0].trials: expected a whole number, found 1.5'],
    ],
    ['a wrong type', asked('    tags: x'), ['5:11: cases[0].tags: expected a list, found "x"']],
    [
      'a duration that is none',
      asked('    timeout: 3 days'),
      [
        '5:14: cases[0].timeout: expected a duration such as 30 (seconds), "500ms", "90s", "10m" or ' +
          '"1h30m", up to 7 days, found "3 days"',
      ],
    ],
    [
      'an unknown grader',
      asked('    graders: [{type: contain, value: x}]'),
      [
        '5:22: cases[0].graders[0].type: expected one of the graders equals, contains, matches, ' +
          'hint, code, found "contain"; did you mean contains?',
      ],
    ],
    [
      'an unknown option of a grader',
      asked('    graders: [{type: contains, value: x, ignore_case: true}]'),
      ['5:42: cases[0].graders[0].ignore_case: unknown key; did you mean ignoreCase?'],
    ],
    [
      'a common key of graders misspelt',
      asked('    graders: [{type: contains, value: x, wieght: 1}]'),
      ['5:42: cases[0].graders[0].wieght: unknown key; did you mean weight?'],
    ],
    [
      'a grader without its option',
      asked('    graders: [{type: contains}]'),
      ['5:15: cases[0].graders[0]: the key value is missing, expected text'],
    ],
    [
      'a negative weight',
      asked('    graders: [{type: equals, value: x, weight: -1}]'),
      ['5:48: cases[0].graders[0].weight: expected a number of at least 0, found -1'],
    ],
    [
      'two graders of one name',
      asked('    graders: [{type: equals, value: x, name: n}, {type: equals, value: y, name: n}]'),
      [
        '5:81: cases[0].graders[1].name: expected a name that no other grader of the case has, ' +
          'found "n"',
      ],
    ],
    [
      'weights that are all 0 under a threshold',
      asked('    scoring: {threshold: 0.5}\n    graders: [{type: equals, value: x, weight: 0}]'),
      [
        '3:5: cases[0]: expected a weight above 0, as no score could reach the threshold 0.5, ' +
          'found weights that are all 0',
      ],
    ],
    [
      'only advice and no threshold',
      asked('    graders: [{type: hint}]'),
      [
        '3:5: cases[0]: expected a grader that decides, or scoring.threshold, ' +
          'found only graders that advise',
      ],
    ],
    [
      'a weight for nobody',
      asked('    scoring: {weights: {equal: 1}}\n    graders: [{type: equals, value: x}]'),
      [
        '5:25: cases[0].scoring.weights.equal: expected the name or type of a grader (equals), ' +
          'found "equal"; did you mean equals?',
      ],
    ],
    [
      'a file path that leaves the folder',
      asked('    tests: {file: ../x}'),
      [
        '5:19: cases[0].tests.file: expected a path inside the suite’s folder, as the suite is in no ' +
          'repository (no .git is above it), found "../x" (a path that leaves the folder)',
      ],
    ],
    [
      'a file that is not there',
      asked('    tests: {file: x}'),
      [
        '5:19: cases[0].tests.file: expected a file by its path from the suite, found "x" (no such file)',
      ],
    ],
    [
      'a path of a file that leaves the case',
      asked('    files: {/etc/x: y}'),
      [
        '5:13: cases[0].files["/etc/x"]: expected a relative path inside the folder, with forward ' +
          'slashes, found an absolute path',
      ],
    ],
    [
      'an id with a line break',
      'id: s\ncases: [{id: "a\\nb", prompt: p}]',
      [
        '2:14: cases[0].id: expected an id without control characters or line breaks, ' +
          String.raw`found "a\nb"`,
      ],
    ],
    [
      'an id that is blank',
      'id: s\ncases: [{id: " ", prompt: p}]',
      ['2:14: cases[0].id: expected an id that is not blank, found blank text'],
    ],
  ])('%s', async (_, text, expected) => {
    const said = await problemsOf('s.yaml', text)
    expect(said.map((one) => one.replace(/ Allowed are .*$/u, ''))).toEqual(expected)
  })

  it('an unknown key, with all keys that are allowed there', async () => {
    expect(
      await problemsOf(
        's.toml',
        'id = "s"\nnmae = "x"\n[[cases]]\nid = "a"\nprompt = "p"\nzzz = 1',
      ),
    ).toEqual([
      '2:1: nmae: unknown key; did you mean name? Allowed are $schema, id, name, description, defaults, graders, scoring, cases, prompts, data, template, where, limit, sample',
      `6:1: cases[0].zzz: unknown key, expected one of ${CASE_KEYS}`,
    ])
  })

  it('two cases of one id', async () => {
    const text = 'id = "s"\n[[cases]]\nid = "a"\nprompt = "p"\n[[cases]]\nprompt = "q"\nid = "a"'
    expect(await problemsOf('s.toml', text)).toEqual([
      '7:6: cases[1].id: expected an id that no other case has (case 1 has it too), found "a"',
    ])
  })

  it('ids that differ only in white space', async () => {
    const text =
      'id: s\ncases:\n- {id: a b, prompt: p}\n- {id: " a  b", prompt: q}\n- {id: ab, prompt: r}'
    expect(await problemsOf('s.yaml', text)).toEqual([
      '4:8: cases[1].id: expected an id that differs from that of case 1 in more than white space, found " a  b"',
    ])
  })

  it('everything at once, in the order of the file', async () => {
    const text = [
      'id = "s"',
      'nmae = "x"',
      '[[graders]]',
      'type = "equal"',
      '[[cases]]',
      'id = "a"',
      'promt = "p"',
      'trials = 0',
      '[[cases]]',
      'id = "a"',
      'prompt = ""',
      '[[cases.graders]]',
      'type = "contains"',
      'valeu = "x"',
    ].join('\n')
    const found = await problemsOf('s.toml', text)
    expect(found.map((problem) => problem.split(': ').slice(0, 2).join(' '))).toEqual([
      '2:1 nmae',
      '4:8 graders[0].type',
      '5:1 cases[0]',
      '7:1 cases[0].promt',
      '8:10 cases[0].trials',
      '10:6 cases[1].id',
      '11:10 cases[1].prompt',
      '12:1 cases[1].graders[0]',
      '14:1 cases[1].graders[0].valeu',
    ])
  })

  it('thousands of bad cases, with a count instead of a flood', async () => {
    const text = `id: s\ncases:\n${'  - {id: a, promt: p}\n'.repeat(2000)}`
    expect(await problemsOf('s.yaml', text)).toHaveLength(100)
    await expect(loadText('s.yaml', text)).rejects.toThrow(/… and \d{4} more$/)
  })
})

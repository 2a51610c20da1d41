/** Files written for other programs are read without changes, and no part of them is ignored silently. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadText, problemsOf, suiteFolder } from '../../../test/suite-folder.ts'
import { findProgram } from '../../../../sandbox/src/find-program.ts'
import { loadSuite } from '../load.ts'
import type { Warning } from '../../documents/problem.ts'

const told = (warnings: readonly Warning[]): string[] =>
  warnings.map(({ line, text }) => `${line ?? '-'}: ${text}`)

const UNSCORED = (language: string, all: number): string =>
  all === 1
    ? `-: the only case is code that cannot be graded here (${language}): it stays unscored`
    : `-: 1 of ${all} cases is code that cannot be graded here (${language}): it stays unscored`

describe('eval-set TOML', () => {
  const TEXT = `
[eval_set]
id = "basics"
name = "Basics"
description = "d"
default_language = "Python"
default_timeout_secs = 30
author = "me"

[[cases]]
id = "fib"
name = "Fibonacci"
description = "cd"
prompt = "Write fib"
language = "Golang"
tags = ["a"]
timeout_secs = 5
max_tokens = 10
difficulty = 3
dependencies = [{ name = "serde", version = "1", features = ["derive"], optional = true }]
[cases.expectations]
should_compile = false
should_pass_tests = false
test_file = "tests"
expected_functions = ["fib"]
expected_types = ["T"]
max_clippy_warnings = 2
custom_check = "ls"
fuzz = true

[[cases]]
id = "plain"
name = "Plain"
prompt = "Write it"
difficulty = 4
`

  it('is recognised by its content and read whole', async () => {
    const { suite } = await loadText('anything.toml', TEXT)
    expect(suite).toMatchObject({
      id: 'basics',
      name: 'Basics',
      description: 'd',
      format: 'eval-set',
      threshold: null,
    })
    expect(suite.cases[0]).toMatchObject({
      id: 'fib',
      name: 'Fibonacci',
      description: 'cd',
      turns: ['Write fib'],
      language: 'go',
      tests: 'tests',
      tags: ['a'],
      timeoutMs: 5000,
      maxTokens: 10,
      graders: [],
      dependencies: [{ name: 'serde', version: '1', features: ['derive'] }],
      expectations: {
        shouldCompile: false,
        shouldPassTests: false,
        maxWarnings: 2,
        functions: ['fib'],
        types: ['T'],
        customCheck: 'ls',
      },
    })
  })

  it('gives cases the set’s language and timeout, and the origin’s defaults', async () => {
    const { suite } = await loadText('s.toml', TEXT)
    expect(suite.cases[1]).toMatchObject({
      language: 'python',
      timeoutMs: 30_000,
      maxTokens: 4096,
      tests: null,
      expectations: { shouldCompile: true, shouldPassTests: true },
    })
    const bare = '[eval_set]\nid = "s"\nname = "S"\n[[cases]]\nid = "a"\nname = "A"\nprompt = "p"'
    const { suite: other } = await loadText('s.toml', bare)
    expect(other.cases[0]).toMatchObject({ language: 'rust', timeoutMs: 60_000 })
  })

  it('names what it does not act on', async () => {
    const { warnings } = await loadText('s.toml', TEXT)
    expect(told(warnings)).toEqual([
      UNSCORED('go', 2),
      '8: eval_set.author is not acted on',
      '19: cases[].difficulty is not acted on (2 places, the first is here)',
      '20: cases[].dependencies[].optional is not acted on',
      '28: cases[].expectations.custom_check is a shell command from somebody else and is not run',
      '29: cases[].expectations.fuzz is not acted on',
    ])
  })

  it('is refused where its own program would refuse it, or a run would go wrong', async () => {
    const text = `[eval_set]
id = "s"
default_language = "cobol"
[[cases]]
id = "a"
name = "A"
prompt = " "
[[cases]]
id = "a"
name = "A"
prompt = "p"
language = "rusty"`
    expect(await problemsOf('s.toml', text)).toEqual([
      '1:2: eval_set: the key name is missing, expected text',
      '3:20: eval_set.default_language: expected one of rust, python, typescript, ts, go, golang, found "cobol"',
      '7:10: cases[0].prompt: expected a prompt that is not blank, found blank text',
      '9:6: cases[1].id: expected an id that no other case has (case 1 has it too), found "a"',
      '12:12: cases[1].language: expected one of rust, python, typescript, ts, go, golang, found "rusty"; did you mean rust?',
    ])
  })
})

describe('eval YAML', () => {
  const TEXT = `name: skill
description: d
version: "1.0"
type: capability
tags: [all]
environment:
  commands: [npm install]
defaults:
  runs: 3
  timeout: 90s
  model: some-model
stimuli:
  - name: hello
    prompt: Say hello
    tags: {category: greeting}
    environment:
      files:
        - {src: ./in.txt, dest: work/in.txt}
    rubric: [be nice]
    constraints: {max_turns: 3}
    graders:
      - type: output-contains
        config: {substring: Hello}
      - type: output-not-contains
        name: no-bye
        config: {substring: Bye, case_sensitive: true}
      - type: output-matches
        config: {pattern: "(?im)^hello", negate: true}
        turn: 1
      - type: output-not-matches
        config: {pattern: err}
      - type: file-exists
        config: {path: x}
  - name: talk
    turns: [one, {prompt: two, wait: 1}]
    graders:
      - type: prompt
scoring:
  weights: {output-contains: 2, no-bye: 0.5, file-exists: 9}
  threshold: 0.75
`

  it('is read with its texts, tags, runs, timeout and threshold', async () => {
    const { suite } = await loadText('e.yml', TEXT, { 'in.txt': 'data' })
    expect(suite).toMatchObject({
      id: 'skill',
      description: 'd',
      format: 'eval-yaml',
      threshold: 0.75,
    })
    expect(suite.cases).toMatchObject([
      {
        id: 'hello',
        turns: ['Say hello'],
        tags: ['all', 'category:greeting'],
        trials: 3,
        timeoutMs: 90_000,
        threshold: 0.75,
        files: { 'work/in.txt': 'data' },
        workspace: { setup: ['npm install'], git: null, folder: null },
        limits: { turns: 3, tokens: null, toolCalls: null, usd: null },
      },
      { id: 'talk', turns: ['one', 'two'], graders: [], limits: null },
    ])
  })

  it('has its environments as a workspace, the stimulus’s after the file’s', async () => {
    const text = `environment:
  files: [{src: a.txt, dest: ./a.txt}, {src: a.txt, dest: b.txt}]
  commands: [make]
  skills: [./skills/s]
  mcpServers: {db: {command: node, args: [db.js]}}
grading_environment:
  files: [{src: c.txt, dest: tests/c.txt}]
stimuli:
  - name: both
    prompt: p
    environment:
      files: [{src: c.txt, dest: b.txt}]
      commands: [make more]
    grading_environment: {files: [{src: a.txt, dest: d.txt}]}
  - {name: other, prompt: p, environment: {skills: []}}
`
    const files = { 'a.txt': 'A', 'c.txt': 'C' }
    const { suite, warnings } = await loadText('e.yml', text, files)
    expect(suite.cases).toMatchObject([
      {
        files: { 'a.txt': 'A', 'b.txt': 'C' },
        workspace: {
          ...{ setup: ['make', 'make more'], git: null },
          hidden: { 'tests/c.txt': 'C', 'd.txt': 'A' },
        },
      },
      {
        files: { 'a.txt': 'A', 'b.txt': 'A' },
        workspace: { setup: ['make'], hidden: { 'tests/c.txt': 'C' } },
      },
    ])
    expect(told(warnings)).toEqual([
      '-: no case has a grader: all 2 cases stay unscored',
      '4: environment.skills is not acted on: skills belong to the agent. Write skills = ["./skills/s"] under [subjects.NAME] of assay.toml, with paths from there',
      '5: environment.mcpServers is not acted on: MCP servers belong to the agent. Copy them to mcpServers under [subjects.NAME] of assay.toml',
    ])
  })

  it('is refused where something of an environment cannot be brought along, each place once', async () => {
    const text = `environment:
  commands: [make, {run: x}, " "]
stimuli:
  - name: files
    prompt: p
    environment:
      files: [{src: ., dest: d.bin}, {src: ../secret.txt, dest: x}, {src: gone, dest: y}]
  - name: remote
    prompt: p
    environment: {git: {url: "https://example.com/r.git", commit: main}}
  - name: no commit
    prompt: p
    environment: {git: {path: repo}}
  - name: gone
    prompt: p
    agent_environment: {git: {path: nowhere, ref: main}}
  - name: elsewhere
    prompt: p
    agent_environment: {git: {source: /usr, ref: main}}
  - name: graded
    prompt: p
    grading_environment: {commands: [make], git: x, files: [{src: gone, dest: y}]}
`
    const hash =
      'the full hash of a commit, as the repository is not in the one that the suite is in'
    expect(await problemsOf('e.yml', text)).toEqual([
      '2:20: environment.commands[1]: expected a shell command as text, found a table',
      '2:30: environment.commands[2]: expected a shell command as text, found blank text',
      '7:15: stimuli[0].environment.files[0]: expected a text file, found not a regular file',
      '7:38: stimuli[0].environment.files[1]: expected a path inside the suite’s folder, as the suite is in no repository (no .git is above it), found a path that leaves the folder',
      '7:69: stimuli[0].environment.files[2]: expected a file by its path from the suite, found no such file',
      `10:24: stimuli[1].environment.git: expected ${hash}, found commit "main"`,
      '13:24: stimuli[2].environment.git: expected a repository, by its path or address, and a commit, found a table',
      '16:30: stimuli[3].agent_environment.git: expected a repository or bundle that is there, found no nowhere',
      `19:30: stimuli[4].agent_environment.git: expected ${hash}, found commit "main" of /usr, which is elsewhere`,
      '22:27: stimuli[5].grading_environment.commands: expected no commands here: a grader of the type run-command runs a command after the work, in a copy of it, found a list',
      expect.stringContaining('stimuli[5].grading_environment.git: expected no git here'),
      expect.stringContaining(
        'stimuli[5].grading_environment.files[0]: expected a file by its path',
      ),
    ])
  })

  it.skipIf(findProgram('git') === null)('has a repository beside it checked out', async () => {
    const folder = await suiteFolder({
      'repo/a.txt': 'A',
      'e.yml': `environment: {git: {repo: ./repo, commit: HEAD}}
stimuli: [{name: a, prompt: p}]`,
    })
    const git = (...words: string[]): string =>
      execFileSync('git', ['-C', join(folder, 'repo'), ...words], { encoding: 'utf8' }).trim()
    git('init', '-q')
    git('add', '.')
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first')
    const { suite } = await loadSuite(join(folder, 'e.yml'), { graders: [] })
    expect(suite.cases[0]?.workspace?.git?.commit).toBe(git('rev-parse', 'HEAD'))
  })

  it('has no workspace where files are all that it brings', async () => {
    const text = 'stimuli: [{name: a, prompt: p, environment: {files: [{src: x, dest: x}]}}]'
    const { suite } = await loadText('e.yml', text, { x: 'X' })
    expect(suite.cases[0]).toMatchObject({ files: { x: 'X' }, workspace: null, limits: null })
  })

  it('is held to its constraints', async () => {
    const text = `defaults: {timeout: 9m}
stimuli:
  - {name: a, prompt: p, constraints: {max_turns: 4, max_tokens: 5000, max_duration: 30s, max_cost: 1}}
  - {name: b, prompt: p}
  - {name: c, prompt: p, constraints: {max_turns: 0, max_duration: soon}}
`
    expect(await problemsOf('e.yml', text)).toEqual([
      '5:51: stimuli[2].constraints.max_turns: expected a number of at least 1, found 0',
      '5:68: stimuli[2].constraints.max_duration: expected a duration such as 30 (seconds), "500ms", "90s", "10m" or "1h30m", up to 7 days, found "soon"',
    ])
    const { suite, warnings } = await loadText('e.yml', text.split('\n').slice(0, -2).join('\n'))
    expect(suite.cases).toMatchObject([
      {
        timeoutMs: 30_000,
        limits: { turns: 4, tokens: 5000, toolCalls: null, usd: null },
        workspace: { setup: [], git: null },
      },
      { timeoutMs: 540_000, limits: null, workspace: null },
    ])
    expect(told(warnings)).toContain('3: stimuli[].constraints.max_cost is not acted on')
  })

  it('has its graders of the answer’s text translated, with their weights', async () => {
    const { suite } = await loadText('e.yml', TEXT, { 'in.txt': 'data' })
    expect(suite.cases[0]?.graders).toEqual([
      {
        type: 'contains',
        name: 'output-contains',
        weight: 2,
        required: false,
        negate: false,
        options: { value: 'Hello', ignoreCase: true },
      },
      {
        type: 'contains',
        name: 'no-bye',
        weight: 0.5,
        required: false,
        negate: true,
        options: { value: 'Bye', ignoreCase: false },
      },
      {
        type: 'matches',
        name: 'output-matches',
        weight: 1,
        required: false,
        negate: true,
        options: { pattern: '^hello', flags: 'im' },
      },
      {
        type: 'matches',
        name: 'output-not-matches',
        weight: 1,
        required: false,
        negate: true,
        options: { pattern: 'err', flags: '' },
      },
    ])
  })

  it('names what it does not act on', async () => {
    const { warnings } = await loadText('e.yml', TEXT, { 'in.txt': 'data' })
    expect(told(warnings)).toEqual([
      '3: version is not acted on',
      '4: type is not acted on',
      '11: defaults.model is not acted on',
      '19: stimuli[].rubric is left out: defaults.judge_model names no judge',
      '29: stimuli[].graders[].turn is not acted on',
      '32: stimuli[].graders[] ("file-exists") is left out: the grader is not available',
      '35: stimuli[].turns[].wait is not acted on',
      '37: stimuli[].graders[] is left out: a judge without a prompt has nothing to decide',
      '39: scoring.weights.file-exists names no grader in use',
    ])
  })

  it('is refused where it is wrong', async () => {
    const text = `defaults: {timeout: soon}
config: {}
stimuli:
  - prompt: x
  - {name: a, graders: [{type: output-contains, config: {substrng: x}}]}
  - {name: a, prompt: p, graders: [{type: output-matches, config: {pattern: 1}}]}
scoring: {threshold: 2}`
    expect(await problemsOf('e.yaml', text)).toEqual([
      '1:21: defaults.timeout: expected a duration such as 30 (seconds), "500ms", "90s", "10m" or "1h30m", up to 7 days, found "soon"',
      '4:5: stimuli[0]: the key name is missing, expected text',
      '5:5: stimuli[1]: expected a prompt, found neither prompt nor turns',
      '5:57: stimuli[1].graders[0].config: expected a table with substring, found a table',
      '6:12: stimuli[2].name: expected an id that no other case has (case 2 has it too), found "a"',
      '6:77: stimuli[2].graders[0].config.pattern: expected text, found 1',
      '7:22: scoring.threshold: expected a number of at most 1, found 2',
    ])
  })

  it('takes its name from the file where it has none', async () => {
    const { suite } = await loadText('greet.yaml', 'stimuli: [{name: a, prompt: p}]')
    expect(suite.id).toBe('greet')
  })
})

const rows = (...all: object[]): string => all.map((row) => JSON.stringify(row)).join('\n')

describe('the HumanEval family', () => {
  const HUMAN = {
    task_id: 'HumanEval/0',
    prompt: 'def f(x):\n    """Add one."""\n',
    entry_point: 'f',
    canonical_solution: '    return x + 1\n',
    test: 'def check(candidate):\n    assert candidate(1) == 2\n',
  }

  it('HumanEval: the answer continues the prompt', async () => {
    const { suite, warnings } = await loadText('HumanEval.jsonl', rows(HUMAN))
    expect(suite).toMatchObject({ id: 'HumanEval', format: 'humaneval' })
    expect(suite.cases[0]).toMatchObject({
      id: 'HumanEval/0',
      turns: [HUMAN.prompt],
      language: 'python',
      continuation: true,
      entryPoint: 'f',
      reference: HUMAN.canonical_solution,
      tests: HUMAN.test,
    })
    expect(suite.cases[0]?.graders).toMatchObject([{ type: 'code', weight: 1 }])
    expect(told(warnings)).toEqual([])
  })

  it('HumanEval+: names the inputs it does not use', async () => {
    const plus = { ...HUMAN, contract: 'c', base_input: [[1]], plus_input: [[2]], atol: 0 }
    const { suite, warnings } = await loadText('x.jsonl', rows(plus, { ...plus, task_id: 'b' }))
    expect(suite.format).toBe('humaneval+')
    const later =
      'is not acted on: the tests of the row are what is run (2 places, the first is here)'
    expect(told(warnings)).toEqual([
      `1: contract ${later}`,
      `1: base_input ${later}`,
      `1: plus_input ${later}`,
      `1: atol ${later}`,
    ])
  })

  it('MBPP: shows the tests, which alone tell the function’s name', async () => {
    const row = {
      task_id: 11,
      text: 'Write a function to add one.',
      code: 'def f(x): return x + 1',
      test_list: ['assert f(1) == 2', 'assert f(2) == 3'],
      test_setup_code: 'import math',
      challenge_test_list: ['assert f(9) == 10'],
    }
    const { suite, warnings } = await loadText('mbpp.jsonl', rows(row))
    expect(suite.format).toBe('mbpp')
    expect(suite.cases[0]).toMatchObject({
      id: '11',
      turns: [
        'Write a function to add one.\n\nYour code should pass these tests:\n\n' +
          'assert f(1) == 2\nassert f(2) == 3',
      ],
      language: 'python',
      continuation: false,
      tests: 'import math\nassert f(1) == 2\nassert f(2) == 3\n',
      reference: row.code,
    })
    expect(told(warnings)).toContain('1: challenge_test_list is not acted on')
  })

  it('MBPP as one JSON list, and MBPP+ in both of its shapes', async () => {
    const list = {
      task_id: 2,
      prompt: 'Do',
      code: 'c',
      test_imports: ['import re'],
      test_list: ['assert 1'],
    }
    const sanitized = await loadText('mbpp.json', JSON.stringify([list], null, 2))
    expect(sanitized.suite.format).toBe('mbpp')
    expect(sanitized.suite.cases[0]?.tests).toBe('import re\nassert 1\n')

    const tested = await loadText('plus.jsonl', rows({ ...list, test: 'whole' }))
    expect(tested.suite.format).toBe('mbpp+')
    expect(tested.suite.cases[0]?.tests).toBe('whole')

    const evalplus = await loadText(
      'plus.jsonl',
      rows({
        task_id: 'Mbpp/2',
        prompt: '"""\nWrite g.\nassert g(1) == 1\n"""\n',
        entry_point: 'g',
        canonical_solution: 'def g(x):\n    return x\n',
        base_input: [[1]],
      }),
    )
    expect(evalplus.suite).toMatchObject({ format: 'mbpp+' })
    expect(evalplus.suite.cases[0]).toMatchObject({
      continuation: false,
      entryPoint: 'g',
      tests: null,
    })
  })

  it('MultiPL-E: with its language and stop tokens', async () => {
    const row = {
      name: 'HumanEval_0',
      language: 'go_test.go',
      prompt: 'package f',
      doctests: 'transform',
      original: 'x.py',
      tests: 'func Test() {}',
      stop_tokens: ['\nfunc', ''],
    }
    const { suite, warnings } = await loadText('go.jsonl', rows(row))
    expect(suite.format).toBe('multipl-e')
    expect(suite.cases[0]).toMatchObject({
      id: 'HumanEval_0',
      language: 'go',
      continuation: true,
      stop: ['\nfunc'],
      tests: row.tests,
    })
    expect(told(warnings)).toEqual([
      UNSCORED('go', 1),
      '1: doctests is not acted on',
      '1: original is not acted on',
    ])
  })

  it('gzipped, under any name, with Python’s NaN and empty lines', async () => {
    const text = `${rows(HUMAN)}\n\n${rows({ ...HUMAN, task_id: 'b' }).slice(0, -1)},"atol":NaN}\n`
    const packed = await loadText('rows.bin', gzipSync(text))
    const plain = await loadText('rows.json', text)
    expect(packed.suite.cases).toHaveLength(2)
    expect(packed.suite.hash).toBe(plain.suite.hash)
  })

  it('reports every bad row with its line', async () => {
    const text = [
      rows(HUMAN),
      '{"task_id": "b", "prompt": "", "entry_point": 1}',
      '{bad',
      rows(HUMAN),
      '[1]',
    ].join('\n')
    expect(await problemsOf('x.jsonl', text)).toEqual([
      '2:28: prompt: expected a prompt that is not blank, found blank text',
      '2:47: entry_point: expected text, found 1',
      '3:2: expected a key in double quotes, found "bad"',
      '4:12: task_id: expected an id that no other row has, white space apart, found "HumanEval/0"',
      expect.stringMatching(/^5:1: expected HumanEval .* found another kind of row$/) as string,
    ])
  })

  it('says how to grade answers that were given as a suite', async () => {
    expect(await problemsOf('samples.jsonl', rows({ task_id: 'a', completion: 'x' }))).toEqual([
      '1:1: expected a suite; grade answers with `--model replay:FILE`, found an answer (task_id with completion)',
    ])
  })
})

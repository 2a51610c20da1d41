/**
 * All ways in which a folder can name a program, and the test of one way: the program is refused, listed, and then
 * allowed.
 */
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'
import {
  JUDGED,
  MODULE,
  PLAIN,
  PYTHON,
  SCRIPT,
  SIMULATED,
  suite,
  TOUCH,
  type UntrustedFolder,
} from './untrusted-folder.ts'

export const sandbox = await inspectSandbox()

/** The grader demands the user's rights. Without `sandbox`, it would run in a sandbox and need no trust. */
export const CUSTOM = suite('graders = [{ type = "custom", file = "check.ts", sandbox = false }]')
export const EITHER = CUSTOM.replace(', sandbox = false', '')
export const CHECK = `${MODULE}export default { grade: () => true }\n`
export const SUITE_MODULE = `${MODULE}export default { id: 'capitals', cases: [{ id: 'france', prompt: 'Capital of France?', reference: 'Paris', graders: [{ type: 'equals', value: 'Paris' }] }] }\n`

export interface Way {
  readonly files: Record<string, string>
  readonly args: readonly string[]
  /** The text in the list that is shown. */
  readonly shows: string
  readonly needsSandbox?: boolean
  /** True if making the plan alone could start the program. */
  readonly looksFirst?: boolean
}

export const WAYS: Record<string, Way> = {
  'a custom grader': {
    files: { 'suite.toml': CUSTOM, 'check.ts': CHECK },
    args: ['suite.toml', ...SIMULATED],
    shows: 'start check.ts (grader custom of suite.toml)',
    looksFirst: true,
  },
  'a program grader': {
    files: {
      'suite.toml': suite(
        'graders = [{ type = "program", command = ["sh", "run.sh"], sandbox = false }]',
      ),
      'run.sh': SCRIPT,
    },
    args: ['suite.toml', ...SIMULATED],
    shows: 'start sh run.sh (grader program of suite.toml)',
  },
  'a subject of assay.toml': {
    files: {
      'suite.toml': PLAIN,
      'run.sh': SCRIPT,
      'assay.toml': '[subjects.nice]\ncommand = "sh run.sh"\n',
    },
    args: ['suite.toml', '--model', 'nice'],
    shows: 'start sh run.sh (nice, named in assay.toml)',
  },
  'the model of assay.toml': {
    files: { 'suite.toml': PLAIN, 'run.sh': SCRIPT, 'assay.toml': 'model = "command:sh run.sh"\n' },
    args: ['suite.toml'],
    shows: 'start sh run.sh (command:sh run.sh, named in assay.toml)',
  },
  'a judge of assay.toml, under a simulated subject': {
    files: {
      'suite.toml': JUDGED,
      'run.sh': SCRIPT,
      'assay.toml': 'judges = "command:sh run.sh"\n',
    },
    args: ['suite.toml', ...SIMULATED],
    shows: 'start sh run.sh (command:sh run.sh, named in assay.toml)',
  },
  'a run file': {
    files: { 'suite.toml': PLAIN, 'run.sh': SCRIPT, 'ci.toml': 'model = "command:sh run.sh"\n' },
    args: ['suite.toml', '--config', 'ci.toml'],
    shows: 'start sh run.sh (command:sh run.sh, named in ci.toml)',
  },
  'an experiment': {
    files: {
      'suite.toml': PLAIN,
      'run.sh': SCRIPT,
      'experiment.toml':
        'suites = ["suite.toml"]\ntrials = 1\n[subjects.nice]\ncommand = "sh run.sh"\n',
    },
    args: ['experiment.toml'],
    shows: 'start sh run.sh (nice, named in experiment.toml)',
  },
  'a grader in a suite of an experiment': {
    files: {
      'suite.toml': CUSTOM,
      'check.ts': CHECK,
      'experiment.toml':
        'suites = ["suite.toml"]\ntrials = 1\n[subjects.nice]\nsimulated = "pass=1"\n',
    },
    args: ['experiment.toml'],
    shows: 'start check.ts (grader custom of suite.toml)',
  },
  'the program of an agent, which is even asked for its version': {
    files: {
      'suite.toml': PLAIN,
      'run.sh': `#!/bin/sh\n${SCRIPT}`,
      'assay.toml': '[subjects.nice]\nagent = "claude"\nprogram = "./run.sh"\n',
    },
    args: ['suite.toml', '--model', 'nice'],
    shows: 'start ./run.sh (nice, named in assay.toml)',
    needsSandbox: true,
    looksFirst: true,
  },
  'a run grader without a sandbox': {
    files: {
      'suite.toml': suite(
        `graders = [{ type = "run", command = "${TOUCH}", answerFile = "a.txt" }]`,
      ),
    },
    args: ['suite.toml', ...SIMULATED, '--sandbox', 'none'],
    shows: '(grader run without a sandbox of suite.toml)',
  },
  'tests without a sandbox': {
    files: {
      'suite.toml': `id = "t"\n[[cases]]\nid = "one"\nprompt = "Write one()"\nlanguage = "python"\nreference = "def one():\\n    return 1"\nfaulty = ["def one():\\n    return 2"]\ntests = """\n${PYTHON}\nassert one() == 1\n"""\n`,
    },
    args: ['suite.toml', ...SIMULATED, '--sandbox', 'none'],
    shows: '(tests without a sandbox of suite.toml)',
  },
}

/**
 * The program does not start before the folder is trusted. Then the command that the refusal prints allows it.
 */
export function startsOnlyWithTrust(name: string, evil: UntrustedFolder): void {
  const way = WAYS[name] as Way
  const { files, args, shows, needsSandbox = false, looksFirst = false } = way
  it.skipIf(needsSandbox && !sandbox.ready)(`${name}, on run`, async () => {
    await evil.write(files)
    if (files['run.sh'] !== undefined) await chmod(join(evil.path, 'run.sh'), 0o755)

    if (looksFirst) {
      const looked = await evil.assay(['run', ...args, '--dry-run'])
      expect(looked.code, looked.said).toBe(0)
      expect(looked.said).toMatch(/^would .*: not trusted yet$/m)
      expect(evil.started()).toBe(false)
    }

    const refused = await evil.assay(['run', ...args, '-o', 'run'])
    expect(refused.code, refused.said).toBe(2)
    expect(refused.said).toContain(shows)
    expect(existsSync(join(evil.path, 'run'))).toBe(false)
    expect(evil.started()).toBe(false)

    const allow = /always: {2}assay (.*)$/m.exec(refused.said)?.[1] ?? ''
    const given = await evil.assay([...allow.split(' '), '--yes'])
    expect(given.code, given.said).toBe(0)
    expect(evil.started()).toBe(false)

    const ran = await evil.assay(['run', ...args, '-o', 'run', '--max-errors', '1'])
    expect(ran.said).not.toContain('not trusted')
    expect(evil.started(), ran.said).toBe(true)
  })
}

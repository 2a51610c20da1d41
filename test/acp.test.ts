/** A real process that speaks ACP, in the sandbox, through the whole command. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Trial } from '@assay/contract'
import { readTrials } from '../packages/assay/src/log/index.ts'
import { hasBubblewrap } from '../packages/sandbox/test/sandboxed.ts'
import { assayHere } from './assay-here.ts'

const SUITE = `id = "acp"
[defaults]
timeout = "60s"
workspace = {}
[[graders]]
type = "file-contains"
path = "said.txt"
value = "now"
[[cases]]
id = "one"
prompt = "hello"
[[cases]]
id = "two"
turns = ["hello", "again"]
limits = { turns = 9 }
`

const MANNERS = ['works', 'stays', 'daemon', 'floods', 'no-server', 'no-agent']

const subject = (manner: string): string =>
  [
    `[subjects.${manner}]`,
    'agent = "acp"',
    `command = ["node", "./agent.mjs", "${manner}"]`,
    manner === 'floods' ? 'timeout = "4s"' : '',
    `[subjects.${manner}.mcpServers.words]`,
    'command = "node"',
    `args = ["${manner === 'no-server' ? './none.mjs' : './mcp-server.mjs'}"]`,
  ].join('\n')

let folder: string
let said: string
const trials: Trial[] = []

beforeAll(async () => {
  if (!hasBubblewrap) return
  folder = mkdtempSync(join(tmpdir(), 'assay-acp-'))
  copyFileSync(join(import.meta.dirname, 'acp/agent.mjs'), join(folder, 'agent.mjs'))
  copyFileSync(join(import.meta.dirname, 'agents/mcp-server.mjs'), join(folder, 'mcp-server.mjs'))
  writeFileSync(join(folder, 'suite.toml'), SUITE)
  const settings = MANNERS.filter((manner) => manner !== 'no-agent').map(subject)
  const cat = '[subjects.no-agent]\nagent = "acp"\ncommand = ["cat"]\n'
  writeFileSync(join(folder, 'assay.toml'), [...settings, cat].join('\n\n'))
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ASSAY_TRUST: '1' }
  const flags = ['--model', MANNERS.join(','), '-o', 'run', '--max-errors', '1']
  const ended = await assayHere(['run', 'suite.toml', ...flags], { cwd: folder, env })
  said = ended.said
  await readTrials(join(folder, 'run'), (trial) => trials.push(trial))
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const outcomesOf = (manner: string): string[] =>
  trials
    .filter((trial) => trial.subject === manner)
    .map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason.code}`))

const reasonOf = (manner: string): string =>
  trials.find((trial) => trial.subject === manner)?.reason?.text ?? ''

describe.skipIf(!hasBubblewrap)('an agent that speaks ACP, in the sandbox', () => {
  it('works in its workspace with its MCP server, in one turn and in two', () => {
    expect(outcomesOf('works'), said).toEqual(['passed', 'passed'])
    const two = trials.find((trial) => trial.subject === 'works' && trial.case === 'two')
    expect(two?.answer).toBe('Wrote it, with words.')
    expect(JSON.stringify(two?.diff)).toContain('again now')
  })

  it('is ended if it does not end, and so is what it started', () => {
    expect(outcomesOf('stays')).toEqual(['passed', 'passed'])
    expect(outcomesOf('daemon')).toEqual(['passed', 'passed'])
  })

  it('fails at its deadline if it asks without end', () => {
    expect(outcomesOf('floods')).toEqual(['failed answer-timeout', 'failed answer-timeout'])
  })

  it('is errored if its MCP server does not start, or if it does not speak ACP', () => {
    expect(outcomesOf('no-server')).toEqual(['errored not-started', 'errored not-started'])
    expect(reasonOf('no-server')).toMatch(
      /MCP server words of no-server did not start: exit code 1/u,
    )
    expect(outcomesOf('no-agent')).toEqual(['errored not-started', 'errored not-started'])
    expect(reasonOf('no-agent')).toContain('initialize failed')
  })

  it('is named before the run if a limit cannot end it while it works', () => {
    expect(said).toContain('works does not report what limits.turns counts while it works')
  })
})

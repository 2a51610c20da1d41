/** Small programs to run in a sandbox, and a check for processes that are still running. */
import { execFileSync, spawnSync } from 'node:child_process'
import { collect, type Collected } from '../src/collect.ts'
import { findProgram } from '../src/find-program.ts'
import type { Limits, Program, Sandbox } from '../src/sandbox.ts'

export const MIB = 1024 * 1024

export const LIMITS: Limits = {
  cpuMs: 10_000,
  wallMs: 40_000,
  memoryBytes: 1024 * MIB,
  addressBytes: null,
  processes: 64,
  fileBytes: 16 * MIB,
  openFiles: 64,
}

const bwrap = findProgram('bwrap')

/** Whether bubblewrap works on this machine. This is checked without the code under test. */
export const hasBubblewrap =
  bwrap !== null &&
  spawnSync(bwrap, ['--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--', '/bin/true'], {
    timeout: 20_000,
  }).status === 0

/** The program of the system. The first one in PATH may be a script in a user's home folder. */
const python = findProgram('python3', '/usr/bin:/bin') ?? ''
export const hasPython = python.startsWith('/usr/bin/') || python.startsWith('/bin/')

export type Wanted = Partial<Omit<Program, 'limits'>> &
  Pick<Program, 'argv'> & { readonly limits?: Partial<Limits> }
type Options = Omit<Wanted, 'argv'>

export const programOf = (wanted: Wanted): Program => ({
  reads: [],
  env: {},
  scratchBytes: MIB,
  pipes: 0,
  system: false,
  ...wanted,
  limits: { ...LIMITS, ...wanted.limits },
})

const PRELUDE = `
  const fs = require('node:fs')
  const attempt = (work) => { try { return work() } catch (error) { return error.code ?? error.message } }
  const show = (value) => fs.writeSync(1, JSON.stringify(value))
`

/** Makes a program for Node, which can `show` a value and `attempt` something that may fail. */
export const inNode = (source: string, options: Options = {}, node = process.execPath): Wanted => ({
  ...options,
  argv: [node, '-e', PRELUDE + source],
  reads: [node, ...(options.reads ?? [])],
})

export const inPython = (source: string, options: Options = {}): Wanted => ({
  ...options,
  argv: [python, '-I', '-S', '-c', `import os, json, ctypes, signal\n${source}`],
  reads: [python, ...(options.reads ?? [])],
})

/** Makes a script for the shell of the system. */
export const inShell = (script: string, options: Options = {}): Wanted => ({
  system: true,
  env: { PATH: '/usr/bin:/bin' },
  ...options,
  argv: ['/bin/sh', '-c', script],
})

export const run = (sandbox: Sandbox, wanted: Wanted): Promise<Collected> =>
  collect(sandbox.start(programOf(wanted)))

/** Returns the value that the program shows. */
export async function shownBy(sandbox: Sandbox, wanted: Wanted): Promise<unknown> {
  const { stdout, stderr, ...ended } = await run(sandbox, wanted)
  const said = stdout.toString('utf8')
  if (said === '') throw new Error(`${JSON.stringify(ended)} ${stderr.toString('utf8')}`)
  return JSON.parse(said)
}

/** Returns the running processes of the machine whose arguments contain the word. */
export function carrying(word: string): string[] {
  return execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(word) && !line.startsWith('Z'))
}

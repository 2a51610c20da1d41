/** Runs a program in a separate process and returns the time and memory that it used. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const COMMAND = new URL('../packages/assay/bin/assay.js', import.meta.url)

/** The flags that the first line of the command gives to Node. Benchmarks start Node with the same ones. */
export const NODE_FLAGS: readonly string[] = (readFileSync(COMMAND, 'utf8').split('\n', 1)[0] ?? '')
  .split(' ')
  .filter((word) => word.startsWith('--') && word.length > 2)

export interface Taken {
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly peakMegabytes: number
  readonly stdout: string
}

/**
 * Runs a program under GNU `time`. The kernel provides its figures: user and system CPU time, wall-clock time, and the
 * largest resident memory.
 */
export function measure(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Taken {
  const done = spawnSync('/usr/bin/time', ['-f', '%U %S %e %M', command, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...env },
  })
  if (done.error !== undefined) throw done.error
  const lines = done.stderr.trim().split('\n')
  const [user, system, wall, kilobytes] = (lines.at(-1) ?? '').split(' ').map(Number)
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${done.stderr}`)
  return {
    cpuSeconds: (user ?? 0) + (system ?? 0),
    wallSeconds: wall ?? 0,
    peakMegabytes: (kilobytes ?? 0) / 1024,
    stdout: done.stdout,
  }
}

export const row = (label: string, { cpuSeconds, wallSeconds, peakMegabytes }: Taken): string =>
  `${label.padEnd(44)} ${cpuSeconds.toFixed(2).padStart(8)} s CPU ${wallSeconds.toFixed(2).padStart(8)} s wall ${peakMegabytes.toFixed(0).padStart(6)} MB`

/**
 * A thousand rounds in which six processes try to take a stale lock at the same moment. Two processes must never hold
 * it at once. In some rounds the winner dies while it holds the lock, and the next round takes the lock over.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { RoundEnd } from '../../../test/lock-process.ts'
import { newOwner } from './owner.ts'

const ROUNDS = 1000
const PROCESSES = 6
/** The winner dies in one of this many rounds. */
const DEATHS = 50

const folder = mkdtempSync(join(tmpdir(), 'assay-locks-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const program = new URL('../../../test/lock-process.ts', import.meta.url)
const sources = new URL('../../../../../test/resolve-sources.ts', import.meta.url).href

async function start(): Promise<ChildProcess> {
  const child = fork(program, { execArgv: ['--import', sources] })
  await once(child, 'message')
  return child
}

async function round(child: ChildProcess, die: boolean): Promise<RoundEnd | 'died'> {
  const { promise, resolve } = Promise.withResolvers<RoundEnd | 'died'>()
  const died = (): void => resolve('died')
  child.once('exit', died)
  child.once('message', (end) => resolve(end as RoundEnd))
  child.send({ folder, die })
  return promise.finally(() => child.off('exit', died))
}

it('a thousand rounds of six processes do not break the take-over', async () => {
  for (let i = 0; i < PROCESSES; i++) children.push(await start())
  const lock = join(folder, 'lock')
  let taken = 0
  let deaths = 0
  for (let i = 0; i < ROUNDS; i++) {
    // In every third round the lock is free. Otherwise a dead process holds it: the last winner, or a process that
    // never existed.
    if (i % 3 === 0) rmSync(lock, { force: true })
    else if (i % 3 === 1)
      writeFileSync(lock, JSON.stringify({ ...newOwner(), pid: 2 ** 22 + 1, started: '1' }))
    const die = i % DEATHS === DEATHS - 1
    const ends = await Promise.all(children.map((child) => round(child, die)))
    expect(ends).not.toContain('shared')
    const winners = ends.filter((end) => end === 'won' || end === 'died').length
    // Several processes may hold the lock one after another in a round, but at least one must get it.
    expect(winners).toBeGreaterThan(0)
    taken += winners
    for (const [at, end] of ends.entries())
      if (end === 'died') {
        deaths++
        children[at] = await start()
      }
  }
  console.log(`${ROUNDS} rounds, taken ${taken} times, ${deaths} deaths`)
  expect(deaths).toBeGreaterThanOrEqual(ROUNDS / DEATHS)
  rmSync(lock, { force: true })
  const [child] = children
  expect(await round(child as ChildProcess, false)).toBe('won')
  expect(readdirSync(folder)).toEqual([])
})

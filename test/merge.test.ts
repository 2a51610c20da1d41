/** `assay run --shard` and `assay merge` as commands: exit codes and what they say. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { assayHere } from './assay-here.ts'
import { machine, type Ended } from './command.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-merge-'))
  const one = (id: string) => ({
    id,
    prompt: `Answer with: ${id}`,
    reference: id,
    faulty: ['other'],
    graders: [{ type: 'equals', value: id }],
  })
  writeFileSync(
    join(folder, 'suite.json'),
    JSON.stringify({ id: 'two', cases: [one('yes'), one('no')] }),
  )
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const assay = (...args: string[]): Promise<Ended> =>
  assayHere(args, { cwd: folder, env: { ...machine(), NO_COLOR: '1', XDG_CONFIG_HOME: folder } })

const part = (shard: string, name: string, ...more: string[]) =>
  assay(
    'run',
    'suite.json',
    '-m',
    'simulated:pass=0.6,price=0.01',
    '-n',
    '4',
    '--shard',
    shard,
    '-o',
    name,
    ...more,
  )

it('runs parts and merges them, with the exit codes of a run', async () => {
  const dry = await part('2/2', 'never', '--dry-run')
  const planned = Number(/(\d+) trials? planned/.exec(dry.stdout)?.[1])
  expect(planned).toBeGreaterThan(0)
  expect(planned).toBeLessThan(8)
  const first = await part('1/2', 'one', '--budget', '1')
  expect(first.code).toBe(0)
  expect(first.stderr).toContain(
    'the budget of $1.00 applies to this part alone: 2 parts with it may spend $2.00',
  )
  expect(first.stderr).toContain('Limits on requests apply to this part alone')
  const lacking = await assay('merge', 'one', '-o', 'half')
  expect(lacking.code).toBe(3)
  expect(lacking.stderr).toContain(`part 2 of 2 is missing with ${planned} trial`)
  expect(lacking.stderr).toContain('missing trials:')
  expect(lacking.stdout).toContain('assay run --resume half')
  const { stdout } = await part('2/2', 'two', '--json')
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
    type: 'start',
    planned,
    shard: { index: 2, of: 2 },
  })
  const merged = await assay('merge', 'one', 'two', '--report', 'report.json')
  expect(merged.code).toBe(0)
  expect(merged.stdout).toMatch(/run folder +\.assay\/runs\//)
  expect(merged.stdout).toContain('8 planned = ')
  expect((await assay('report', 'latest')).stdout).toContain('8 planned = ')
  const foreign = await part('2/2', 'other', '--seed', '9')
  expect(foreign.code).toBe(0)
  const refused = await assay('merge', 'one', 'other', '-o', 'never')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('other does not fit one: its seed is 9, not 1')
  expect((await assay('bless', 'one')).stderr).toContain('it is only part 1 of 2 of a run')
})

it('an empty part is complete, and a part that does not exist is refused', async () => {
  let empty = 1
  const isEmpty = async (i: number): Promise<boolean> =>
    (await part(`${i}/40`, `p${i}`, '--dry-run')).stdout.includes('0 trials planned')
  while (empty <= 40 && !(await isEmpty(empty))) empty++
  const done = await part(`${empty}/40`, 'empty')
  expect(done).toMatchObject({ code: 0 })
  expect(done.stderr).toContain('no trial of the plan belongs to this part')
  for (const wrong of ['0/2', '3/2', '1', '1/0', 'a/b', '1/2/3'])
    expect(await part(wrong, 'wrong')).toMatchObject({ code: 2 })
})

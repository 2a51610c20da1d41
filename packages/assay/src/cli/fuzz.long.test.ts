/** Many more rounds of fuzz.test.ts. Also starts the built command itself, with little memory and a deadline. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { EXIT_CODES, fuzz, fuzzFolder } from '../../test/fuzz/fuzz.ts'
import { change, mutated } from '../../test/fuzz/mutate.ts'

const ROUNDS = 150
const SEED = 1273207150
/** How often the command is started for each file. */
const STARTS = 6
const MEMORY_MB = 256
const DEADLINE_MS = 120_000

const folder = await fuzzFolder()
afterAll(() => folder.remove())
const named = folder.targets.map((target) => [target.file, target] as const)

it.each(named)('%s with anything in it is read or refused', async (_, target) => {
  await fuzz(target, ROUNDS, SEED)
  expect(process.cwd()).toBe(folder.path)
})

const command = fileURLToPath(new URL('../../bin/assay.js', import.meta.url))

async function started(words: readonly string[]): Promise<{ code: number | null; said: string }> {
  const { HOME, PATH, XDG_CONFIG_HOME } = process.env
  const argv = [`--max-old-space-size=${MEMORY_MB}`, command, ...words]
  const child = spawn(process.execPath, argv, {
    env: { HOME, PATH, XDG_CONFIG_HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

it.each(named)('the command ends in little memory, whatever %s holds', async (file, target) => {
  const original = existsSync(file) ? readFileSync(file) : null
  const changes = fc.array(change, { minLength: 1, maxLength: 4 })
  try {
    for (const [i, list] of fc.sample(changes, { numRuns: STARTS, seed: SEED }).entries()) {
      const { words } = target.commands[i % target.commands.length] ?? { words: [] }
      writeFileSync(file, mutated(target.seed, list))
      const { code, said } = await started(words)
      const shown = `${words.join(' ')}\n${JSON.stringify(list).slice(0, 2000)}\n${said.slice(-2000)}`
      expect(EXIT_CODES, shown).toContain(code)
      expect(said, shown).not.toContain('this is a bug in assay')
      target.reset?.()
    }
  } finally {
    if (original !== null) writeFileSync(file, original)
  }
})

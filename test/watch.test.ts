/** `assay run --watch` as a process: a real change of a file, and Ctrl-C. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { suiteFolder } from '../packages/assay/test/suite-folder.ts'
import { command, machine } from './command.ts'

const SUITE = (prompt: string): string =>
  `id = "s"\ncases = [{ id = "c", prompt = "${prompt}", reference = "yes", faulty = ["no"], graders = [{ type = "equals", value = "yes" }] }]\n`

it('runs again after a change, and Ctrl-C ends it with exit code 0', async () => {
  const folder = await suiteFolder({ 's.toml': SUITE('Say yes') })
  const child = spawn(
    process.execPath,
    [command, 'run', 's.toml', '-m', 'simulated:pass=1', '--watch'],
    { cwd: folder, env: { ...machine(), NO_COLOR: '1', XDG_CONFIG_HOME: join(folder, 'config') } },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  const waiting: { text: string; resolve: () => void }[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const [first] = waiting
      if (first !== undefined && printed.includes(first.text)) waiting.shift()?.resolve()
    })
  const until = async (text: string): Promise<void> => {
    if (printed.includes(text)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ text, resolve })
    await promise
  }
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await until('waiting for changes')
  writeFileSync(join(folder, 's.toml'), SUITE('Please say yes'))
  await until('all results: 1/1 trials passed')
  child.kill('SIGINT')
  expect(await ended).toBe(0)
  expect(printed).toContain('s.toml changed: 1 case run again')
}, 60_000)

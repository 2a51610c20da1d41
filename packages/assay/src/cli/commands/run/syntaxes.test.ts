/** The same suite in TOML, YAML, JSON and TypeScript, through the command. */
import { join } from 'node:path'
import pico from 'picocolors'
import { stringify as toml } from 'smol-toml'
import { expect, it } from 'vitest'
import { stringify as yaml } from 'yaml'
import { suiteFolder } from '../../../../test/suite-folder.ts'
import { summarize } from '../../../report/index.ts'
import type { Output } from '../../output/output.ts'
import { runCommand } from './run.ts'

const SUITE = {
  id: 'same',
  prompts: { short: 'Q: {{ text }}', long: { system: 'Be kind.', user: 'Please: {{ text }}' } },
  defaults: { trials: 4, timeout: '30s' },
  cases: ['a', 'b', 'c'].map((id) => ({
    id,
    vars: { text: `say ${id}` },
    reference: id,
    faulty: ['no'],
    tags: [id],
    graders: [{ type: 'equals', value: id }],
  })),
}
const FILES = {
  'same.toml': toml(SUITE),
  'same.yaml': yaml(SUITE),
  'same.json': JSON.stringify(SUITE),
  'same.ts': `export default ${JSON.stringify(SUITE)} as const\n`,
}

it('has the same hashes and results in every syntax', async () => {
  const folder = await suiteFolder(FILES)
  const output: Output = {
    ...{ out: () => {}, err: () => {}, ready: () => null, isTerminal: false },
    ...{ outIsTerminal: false, width: 80, colors: pico.createColors(false) },
  }
  const found: unknown[] = []
  for (const name of Object.keys(FILES)) {
    const run = join(folder, `run-${name}`)
    const flags = { suites: [join(folder, name)], model: ['simulated:pass=0.6'], output: run }
    expect(await runCommand(flags, output)).toBe(0)
    const { subjects } = await summarize(run)
    found.push(
      subjects.map(({ subject, cases }) => [
        subject,
        cases.map((one) => [one.case, one.caseHash, one.counts.passed, one.counts.failed]),
      ]),
    )
  }
  const [first, ...others] = found
  expect(JSON.stringify(first)).toContain('· short')
  for (const other of others) expect(other).toEqual(first)
})

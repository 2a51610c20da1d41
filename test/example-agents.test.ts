/**
 * Tests that the example experiment with agents runs as its page says, and that its report equals the one next to
 * it.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'

const root = fileURLToPath(new URL('..', import.meta.url))
const command = join(root, 'packages/assay/bin/assay.js')
const { ready } = await inspectSandbox()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-example-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Times, versions and the id of the run differ between machines. */
const settled = (report: string): string =>
  report
    .replaceAll(/\b[\d.,]+ (?:ms|s)\b/g, 'TIME')
    // Only the number of trials is the same in every run.
    .replaceAll(/(`duration_seconds` \|)(?: [\d.]+ \|){6}/g, '$1 TIMES |')
    .replaceAll(/<sub>run `[^`]*` · assay `[^`]*`[^]*?<\/sub>/g, 'RUN')

describe.skipIf(!ready)('examples/agent-skill', () => {
  it('measures what the skill brings, and keeps what the agents did', async () => {
    const run = join(folder, 'run')
    const report = join(folder, 'report.md')
    const experiment = 'examples/agent-skill/experiment.toml'
    await promisify(execFile)(
      process.execPath,
      [command, 'run', experiment, '--trust', '--output', run, '--report', report],
      { cwd: root, timeout: 170_000 },
    )
    const said = await readFile(join(root, 'examples/agent-skill/report.md'), 'utf8')
    expect(settled(await readFile(report, 'utf8'))).toBe(settled(said))
    const trials = (await readFile(join(run, 'trials.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
      .slice(1)
    expect(trials).toHaveLength(50)
    for (const line of trials)
      expect(JSON.parse(line)).toMatchObject({
        trajectory: expect.anything(),
        diff: expect.anything(),
        sandbox: 'bubblewrap',
      })
  })
})

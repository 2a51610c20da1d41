/** Which version of an agent answers: part of the record, for another version is another subject. */
import { rm } from 'node:fs/promises'
import { plain } from '@assay/contract'
import { makeOwnedFolder, runProcess } from '@assay/sandbox'
import { fromOurs } from '../command/given-env.ts'
import type { FoundProgram } from './find-agent.ts'

const DEADLINE_MS = 20_000
const MOST_BYTES = 64 * 1024
const MOST_CHARACTERS = 100

/** The first line that it prints for `--version`; null where it does not say. */
export async function programVersion(
  { argv }: FoundProgram,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  // It may not look into the user's home for this, nor leave anything there.
  const home = makeOwnedFolder('assay-version')
  try {
    const { how, code, stdout } = await runProcess({
      argv: [...argv, '--version'],
      input: '',
      cwd: home,
      env: { ...fromOurs(['PATH']), ...env, HOME: home, TMPDIR: home },
      timeoutMs: DEADLINE_MS,
      mostBytes: MOST_BYTES,
      signal: AbortSignal.timeout(2 * DEADLINE_MS),
    })
    const [first = ''] = stdout.toString('utf8').trim().split('\n')
    if (how !== 'ended' || code !== 0 || first === '') return null
    return plain(first).slice(0, MOST_CHARACTERS)
  } catch {
    return null
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/**
 * Finds the version of an agent's program. The version is recorded, because another version may give other answers. It
 * counts as another subject.
 */
import { rm } from 'node:fs/promises'
import { plain } from '@assay/contract'
import { makeOwnedFolder, programPath, runProcess } from '@assay/sandbox'
import type { FoundProgram } from './find-agent.ts'

const DEADLINE_MS = 20_000
const MOST_BYTES = 64 * 1024
const MOST_CHARACTERS = 100

/** Returns the first line that the program prints for `--version`. Returns null if it prints nothing. */
export async function programVersion(
  { argv }: FoundProgram,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  // The program gets a temporary home folder, so that it neither reads nor writes files in the user's home.
  const home = makeOwnedFolder('assay-version')
  try {
    const { how, code, stdout } = await runProcess({
      argv: [...argv, '--version'],
      input: '',
      cwd: home,
      env: { PATH: programPath(), ...env, HOME: home, TMPDIR: home },
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

/** A folder that is not trusted, in its own place, and the built command in it. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { assayHere } from './assay-here.ts'
import { assayStarted, machine, type Ended } from './command.ts'

export interface UntrustedFolder {
  /** The folder, which is a repository. What is next to it is outside. */
  readonly path: string
  readonly parent: string
  assay(args: readonly string[], env?: Record<string, string>): Promise<Ended>
  /** The texts of files by name. FOLDER in a text stands for the path of the folder. */
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** True if any program of the folder ran. All of them leave a file. */
  started(): boolean
}

const STARTED = 'started'

/** What every program of the folder does in addition to its answer. */
export const SCRIPT = `: > FOLDER/${STARTED}\necho Paris\n`
export const MODULE = `import { writeFileSync } from 'node:fs'\nwriteFileSync('FOLDER/${STARTED}', '')\n`
export const TOUCH = `touch FOLDER/${STARTED}`
export const PYTHON = `open('FOLDER/${STARTED}', 'w').close()`

export const suite = (more: string): string =>
  `id = "capitals"\n[[cases]]\nid = "france"\nprompt = "Capital of France?"\nreference = "Paris"\nfaulty = ["Rome"]\n${more}\n`
export const PLAIN = suite('graders = [{ type = "equals", value = "Paris" }]')
export const JUDGED = suite('graders = [{ type = "judge", rubric = ["It is right."] }]')
export const SIMULATED = ['--model', 'simulated:pass=1']

/** Makes a new folder for each test of the file. */
export function untrustedFolder(): UntrustedFolder {
  let parent = ''
  const path = (): string => join(parent, 'evil')
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'assay-trust-'))
    await mkdir(join(path(), '.git'), { recursive: true })
  })
  afterEach(() => rm(parent, { recursive: true, force: true }))

  return {
    get path() {
      return path()
    },
    get parent() {
      return parent
    },
    assay(args, env = {}) {
      // Other variables may be keys.
      const isKnown = Object.keys(env).every((name) => name === 'ASSAY_TRUST')
      return (isKnown ? assayHere : assayStarted)(args, {
        cwd: path(),
        env: {
          ...machine(),
          XDG_CONFIG_HOME: join(parent, 'config'),
          XDG_CACHE_HOME: join(parent, 'cache'),
          ...env,
        },
      })
    },
    async write(files) {
      for (const [name, text] of Object.entries(files))
        await writeFile(join(path(), name), text.replaceAll('FOLDER', path()))
    },
    started: () => existsSync(join(path(), STARTED)),
  }
}

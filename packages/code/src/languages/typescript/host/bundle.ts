/**
 * Bundles each program for the sandbox into one file and compiles it in advance. Every solution gets a new process,
 * and Node takes more than a millisecond for each module that it loads. The package build bundles the programs
 * (build.ts). If there is no build of the current sources, this file bundles them with the same code. If the build
 * used another version of Node, this file compiles the bundles again.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isBuiltHere } from '../sandboxed/built-for.ts'

/** The bundle of the assertion library chai. It is loaded only for tests that use chai. */
const CHAI = 'chai.js'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Code that changes from root to another user, if the process runs as root. The last argument is the number of the
 * user.
 */
const DROP = `
const user = Number(process.argv.pop())
if (user !== 0) {
  process.setgroups([])
  process.setgid(user)
  process.setuid(user)
}`

/**
 * Returns a script that runs a bundle in the same folder. The bundle is the source of a function. The script uses the
 * compiled code if it exists and fits this version of Node.
 */
const running = (name: string, parameters: string, before = ''): string => `'use strict'${before}
const { readFileSync } = require('node:fs')
const { constants, Script } = require('node:vm')
let cachedData
try {
  cachedData = readFileSync(__dirname + '/${name}.compiled')
} catch {}
const filename = __dirname + '/${name}.js'
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
const options = { filename, cachedData, importModuleDynamically }
new Script(readFileSync(filename, 'latin1'), options).runInThisContext()(${parameters})
`

/** The script that Node runs to start a program for the sandbox. */
const START = running('code', '', DROP)

/** The script that Node runs to start the analyzer, if the package was built. */
export const ANALYZER_START = running('analyzer', 'require, filename')

/**
 * The script that compiles programs. It compiles all functions, not only those that run at start, and then restores
 * V8's default flags.
 */
const COMPILE = `
const { readFileSync, writeFileSync } = require('node:fs')
const { Script } = require('node:vm')
const { setFlagsFromString } = require('node:v8')
setFlagsFromString('--no-lazy')
const scripts = process.argv.slice(1).map((filename) => {
  return [filename, new Script(readFileSync(filename, 'latin1'), { filename })]
})
setFlagsFromString('--lazy')
for (const [filename, script] of scripts)
  writeFileSync(filename.replace(/js$/, 'compiled'), script.createCachedData())
`

/** Limits the time of a Node process. If the machine cannot start Node's threads, Node can wait for them forever. */
const LIMITED = { timeout: 60_000, killSignal: 'SIGKILL' } as const

export type Kind = 'tester' | 'solution' | 'in-process' | 'analyzer'

/**
 * Flags of Node with which a process for a solution takes a fifth less CPU time.
 * - Keep the hash seed that Node was built with. A random seed protects against keys that are chosen to collide, but
 *   here a solution could only harm itself.
 * - Use one thread for V8's work, and no thread that waits for a debugger.
 * - Use only the optimizing compiler, which compiles code that runs long. V8's quick compilers pay off for programs
 *   that run for a second, not for a few milliseconds.
 */
const LEAN = [
  '--no-rehash-snapshot',
  '--disable-sigusr1',
  '--v8-pool-size=1',
  '--no-sparkplug',
  '--no-maglev',
] as const

/**
 * Flags of Node for a tester. A tester runs long enough for V8's quick compilers to pay off. It gets more space for new
 * objects, so that garbage is collected less often: almost everything that a solution leaves behind is garbage. A
 * tester also loads modules of Node that were compiled in advance. V8 uses such code only if its flags are the same as
 * during the compilation, but it does not compare these four flags. A solution whose tests run in its
 * process loads the same modules. With these flags it takes a quarter less CPU time than with the flags above.
 */
const LASTING = [
  '--disable-sigusr1',
  '--v8-pool-size=1',
  '--min-semi-space-size=4',
  '--single-threaded-gc',
] as const

/**
 * Flags of Node for the analyzer. The reasons are the same as for a tester: almost everything that the analyzer
 * allocates for a solution is garbage afterwards.
 */
const ANALYZING = [
  '--disable-sigusr1',
  '--v8-pool-size=1',
  '--min-semi-space-size=16',
  '--single-threaded-gc',
] as const

const FLAGS = {
  tester: LASTING,
  solution: LEAN,
  'in-process': LASTING,
  analyzer: ANALYZING,
} as const

/** The flags of Node for a program. Its code is compiled in advance with the same flags. */
export const flagsOf = (kind: Kind): readonly string[] => FLAGS[kind]

/** Compiles each program and writes the result next to it. Throws if this Node does not support the flags. */
export function compile(files: ReadonlyMap<Kind, string>): void {
  const byFlags = Map.groupBy(files, ([kind]) => flagsOf(kind))
  for (const [flags, programs] of byFlags) {
    const words = ['--no-warnings', ...flags, '-e', COMPILE, ...programs.map(([, file]) => file)]
    execFileSync(process.execPath, words, { ...LIMITED, cwd: '/', stdio: 'ignore' })
  }
}

/**
 * Writes each program into a folder of the same name, together with the script that starts it. `built` is the folder
 * with the programs of the build, or null. Returns whether this Node supports the flags.
 */
export function writePrograms(
  folder: string,
  names: readonly Kind[],
  built: string | null,
): boolean {
  const bundles = built === null ? folder : join(built, 'bundles')
  const isBuilt = built !== null
  const isCompiled = isBuilt && isBuiltHere(pathToFileURL(`${bundles}/`))
  if (!isBuilt) execFileSync(process.execPath, [here('../../../../build.ts'), folder], LIMITED)
  const codes = names.map((name): readonly [Kind, string] => {
    const into = join(folder, name)
    mkdirSync(into)
    const code = join(into, 'code.js')
    if (!isBuilt) renameSync(join(folder, `${name}.js`), code)
    else
      for (const kind of isCompiled ? ['js', 'compiled'] : ['js']) {
        copyFileSync(join(bundles, `${name}.${kind}`), join(into, `code.${kind}`))
        chmodSync(join(into, `code.${kind}`), 0o644)
      }
    writeFileSync(join(into, 'start.cjs'), START)
    // Chai is copied only for the processes that run tests.
    if (name !== 'solution') copyFileSync(join(bundles, CHAI), join(into, CHAI))
    return [name, code]
  })
  if (isCompiled) return true
  try {
    compile(new Map(codes))
    return true
  } catch {
    return false
  }
}

/**
 * The type checker. One TypeScript server checks many solutions. The files of a solution exist only in memory and
 * replace those of the previous solution. Apart from them, the checker can read only its own library and vendored
 * packages. If the server cannot be started, `tsc` (the TypeScript compiler) runs on files in the scratch folder
 * instead.
 */
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { API } from 'typescript/unstable/sync'
import type { Diagnostic } from '../../../../language.ts'
import { isBuiltHere, NODE_MODULES, readBuilt } from '../built-for.ts'
import { ambientGlobals, ambientModules } from './ambient.ts'
import { LIBRARY, libraryOf } from './library.ts'
import { placeIn } from './source.ts'

const ROOT = '/sample'
const CONFIG = `${ROOT}/tsconfig.json`
const PACKAGES = `${ROOT}/node_modules`

const OPTIONS = {
  strict: true,
  target: 'esnext',
  lib: [LIBRARY],
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  allowImportingTsExtensions: true,
  allowJs: true,
  checkJs: false,
  resolveJsonModule: true,
  esModuleInterop: true,
  useDefineForClassFields: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
}

export type Files = ReadonlyMap<string, string>

export interface Checker {
  /** Returns the errors in the files listed in `wanted`. The other files are only there to be imported. */
  check(files: Files, wanted: readonly string[]): Diagnostic[]
}

/**
 * Matches uses of modules and globals that Assay declares as `any`. If a callback is passed to one of them, the types
 * of its parameters are unknown. The checker reports that as an error, but the solution is not at fault.
 */
const UNTYPED =
  /\bfrom\s*['"](?!\.)|\brequire\s*\(|\bimport\s*\(|\b(?:process|Buffer|describe|it|test|vi|jest)\s*[.(]/
/** The error codes for parameters, rest parameters and destructured names that are implicitly `any`. */
const FROM_CONTEXT = new Set([7006, 7019, 7031])

const configText = JSON.stringify({
  compilerOptions: OPTIONS,
  include: [`${ROOT}/**/*`],
  exclude: [PACKAGES],
})

/** Starts a long-lived checker. Throws if the server does not start. */
export async function startChecker(executable: string, packages: string | null): Promise<Checker> {
  const { API, DiagnosticCategory } = await import('typescript/unstable/sync')
  const library = dirname(executable)
  let files = new Map<string, string>()
  const virtual = new Map([
    [CONFIG, configText],
    [`${ROOT}/globals.d.ts`, ambientGlobals()],
    [`${ROOT}/modules.d.ts`, (isBuiltHere() ? readBuilt(NODE_MODULES) : null) ?? ambientModules()],
  ])
  const joined = libraryOf(library)
  const content = (path: string): string | undefined =>
    virtual.get(path) ?? files.get(path) ?? joined.get(path)
  /**
   * Returns the real path of a file in `vendor` or in the checker's library. Null for any other file, which is not
   * readable.
   */
  const real = (path: string): string | null => {
    if (path.startsWith(`${library}/`)) return path
    if (packages !== null && (path === PACKAGES || path.startsWith(`${PACKAGES}/`)))
      return packages + path.slice(PACKAGES.length)
    return null
  }
  const inFolder = (folder: string): boolean =>
    folder === ROOT ||
    [...files.keys()].some((path) => path.startsWith(`${folder}/`)) ||
    isFolder(real(folder))
  const api: API = new API({
    cwd: ROOT,
    tsserverPath: executable,
    fs: {
      readFile: (path) => {
        const known = content(path)
        if (known !== undefined) return known
        const place = real(path)
        return place !== null && isFile(place) ? readFileSync(place, 'utf8') : null
      },
      fileExists: (path) => content(path) !== undefined || isFile(real(path)),
      directoryExists: inFolder,
      getAccessibleEntries: (folder) =>
        entriesOf(folder, [...virtual.keys(), ...files.keys()], real(folder)),
      realpath: (path) => path,
    },
  })
  let opened = false
  const checker: Checker = {
    check(given, wanted) {
      const next = new Map([...given].map(([path, text]) => [`${ROOT}/${path}`, text]))
      const changed = [...next.keys()].filter(
        (path) => files.has(path) && files.get(path) !== next.get(path),
      )
      const created = [...next.keys()].filter((path) => !files.has(path))
      const deleted = [...files.keys()].filter((path) => !next.has(path))
      files = next
      const snapshot = api.updateSnapshot({
        ...(opened ? {} : { openProjects: [CONFIG] }),
        fileChanges: { changed, created, deleted },
      })
      opened = true
      try {
        const project = snapshot.getProject(CONFIG)
        if (project === undefined) throw new Error('the checker lost its project')
        return wanted.flatMap((path) => {
          const name = `${ROOT}/${path}`
          const syntactic = project.program.getSyntacticDiagnostics(name)
          // If a file has syntax errors, its other errors are left out, because they are only consequences.
          const found =
            syntactic.length > 0 ? syntactic : project.program.getSemanticDiagnostics(name)
          const lenient = UNTYPED.test(given.get(path) ?? '')
          return found
            .filter(
              ({ category, code }) =>
                category === DiagnosticCategory.Error && !(lenient && FROM_CONTEXT.has(code)),
            )
            .map(({ pos, code, text, messageChain }) => ({
              file: path,
              ...placeIn(given.get(path) ?? '', pos),
              code: `TS${code}`,
              message: [text, ...chained(messageChain)].join('\n').slice(0, 1000),
            }))
        })
      } finally {
        snapshot.dispose()
      }
    },
  }
  checker.check(new Map([['start.ts', 'export const started: number = 1']]), ['start.ts'])
  return checker
}

interface Chained {
  readonly text: string
  readonly messageChain?: readonly Chained[] | undefined
}

const chained = (chain: readonly Chained[] | undefined): string[] =>
  (chain ?? [])
    .slice(0, 2)
    .flatMap(({ text, messageChain }) => [text, ...chained(messageChain)])
    .slice(0, 3)

const isFile = (path: string | null): boolean =>
  path !== null && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)
const isFolder = (path: string | null): boolean =>
  path !== null && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)

function entriesOf(
  folder: string,
  paths: readonly string[],
  real: string | null,
): { files: string[]; directories: string[] } {
  const files = new Set<string>()
  const directories = new Set<string>()
  for (const path of paths) {
    if (!path.startsWith(`${folder}/`)) continue
    const rest = path.slice(folder.length + 1)
    const slash = rest.indexOf('/')
    if (slash === -1) files.add(rest)
    else directories.add(rest.slice(0, slash))
  }
  if (isFolder(real))
    for (const entry of readdirSync(real as string, { withFileTypes: true }))
      (entry.isDirectory() ? directories : files).add(entry.name)
  return { files: [...files], directories: [...directories] }
}

/** Returns a checker that runs `tsc` for every solution. It is slow but does not need the TypeScript server. */
export function spawnChecker(
  executable: string,
  scratch: string,
  packages: string | null,
): Checker {
  return {
    check(given, wanted) {
      const folder = join(realpathSync(scratch), 'check')
      rmSync(folder, { recursive: true, force: true })
      for (const [path, text] of [
        ...given,
        ['globals.d.ts', ambientGlobals()] as const,
        ['modules.d.ts', ambientModules()] as const,
      ]) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
      const paths = packages === null ? {} : { paths: { '*': [`${packages}/*`] } }
      const compilerOptions = { ...OPTIONS, ...paths }
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, include: ['**/*'] }),
      )
      const { stdout, status, error } = spawnSync(executable, ['-p', folder, '--pretty', 'false'], {
        cwd: folder,
        encoding: 'utf8',
      })
      if (error !== undefined) throw error
      if (status !== 0 && !/error TS\d+/.test(stdout)) throw new Error('tsc does not work')
      return [...stdout.matchAll(/^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$/gm)]
        .map(([, file = '', line, column, code = '', message = '']) => ({
          file,
          line: Number(line),
          column: Number(column),
          code,
          message,
        }))
        .filter(
          ({ file, code }) =>
            wanted.includes(file) &&
            !(UNTYPED.test(given.get(file) ?? '') && FROM_CONTEXT.has(Number(code.slice(2)))),
        )
    },
  }
}

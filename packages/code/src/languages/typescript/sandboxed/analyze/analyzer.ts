/**
 * The analyzer does everything that reads a solution's source without running it. It is a long-lived program in the
 * sandbox and answers one request at a time. For a solution, it refuses oversized sources, blanks comments that
 * silence the tools, checks types, lints, lists definitions, and returns the JavaScript to run. Sources are
 * untrusted. If one exploits a bug in a parser, it can harm only this sandbox.
 */
import { isBuiltin } from 'node:module'
import type { Diagnostic } from '../../../../language.ts'
import { spawnChecker, startChecker, type Checker } from './check.ts'
import { HOST, Link, parsed } from '../calls/channel.ts'
import { startLinter } from './lint.ts'
import { LIBRARIES } from '../framework/library.ts'
import { packageName } from './test-features.ts'
import { moduleBody } from './module-body.ts'
import type { LoadFile } from '../modules.ts'
import type { AnalyzerReply, AnalyzerRequest, PreparedSolution } from './prepared.ts'
import { placeIn, refused, unsilenced } from './source.ts'
import { CannotStrip, stripped } from './strip.ts'
import {
  commonRunnable,
  declaredValues,
  definedBy,
  parse,
  runnable,
  syntaxErrors,
  type Script,
} from './syntax.ts'
import { prepareTests } from '../test-source.ts'
import { compileLater } from '../tiers.ts'

/** The paths of the tools, sent by the host. */
interface Tools {
  readonly checker: string
  readonly linter: string
  readonly packages: string | null
}

type SampleRequest = Extract<AnalyzerRequest, { kind: 'solution' }>

const MOST_ERRORS = 20
const MOST_WARNINGS = 100

const link = new Link(HOST)
const tools = JSON.parse(process.argv[2] ?? '') as Tools
const scratch = process.cwd()
const linter = startLinter(tools.linter, scratch)
let checker: Checker | null = null

const isTypeScript = (path: string): boolean => /\.[cm]?tsx?$/.test(path)
const isScript = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path)

async function checkerFor(): Promise<Checker> {
  if (checker !== null) return checker
  try {
    checker = await startChecker(tools.checker, tools.packages)
  } catch {
    checker = spawnChecker(tools.checker, scratch, tools.packages)
  }
  return checker
}

async function sample(request: SampleRequest): Promise<PreparedSolution> {
  const refusals = Object.entries(request.files).flatMap(([file, source]) => {
    const message = refused(source)
    return message === null ? [] : [{ file, line: 1, column: 1, code: null, message }]
  })
  if (refusals.length > 0) return failed(refusals)
  const scripts = Object.keys(request.files).filter(isScript)
  const files = new Map<string, string>()
  const errors: Diagnostic[] = []
  const warnings: Diagnostic[] = []
  const trees = new Map<string, ReturnType<typeof parse>>()
  for (const [path, given] of Object.entries(request.files)) {
    if (!isScript(path)) {
      files.set(path, given)
      continue
    }
    let tree = parse(path, given)
    const isLoose = tree.errors.length > 0 || request.script
    if (isLoose && !tree.module.hasModuleSyntax && !isTypeScript(path)) {
      const loose = parse(path, given, 'commonjs')
      if (loose.errors.length === 0) tree = loose
    }
    const { source, silenced } = unsilenced(given, tree.comments)
    for (const { at, directive } of silenced)
      warnings.push({
        file: path,
        ...placeIn(given, at),
        code: 'silenced',
        message: `${directive} does nothing here`,
      })
    files.set(path, source)
    trees.set(path, tree)
    errors.push(...undeclared(path, source, tree, request.declared))
    if (!isTypeScript(path)) errors.push(...syntaxErrors(path, source, tree))
  }
  const typed = scripts.filter(isTypeScript)
  const support = new Map(Object.entries(request.support))
  if (typed.length > 0)
    errors.push(...(await checkerFor()).check(new Map([...support, ...files]), typed))
  const linted = request.lint
    ? [
        ...warnings,
        ...(await linter.lint(
          new Map(
            scripts.map((path) => [path, withExports(files.get(path) ?? '', trees.get(path))]),
          ),
        )),
      ]
    : null
  const tree = trees.get(request.main)
  const defined = request.define && tree !== undefined ? definedBy(tree) : null
  const found = { warnings: linted?.slice(0, MOST_WARNINGS) ?? null, defined }
  if (errors.length > 0) return { ...failed(errors), ...found }
  const made = runnables(new Map([...support, ...files]), request.script)
  return made.errors.length > 0
    ? { ...failed(made.errors), ...found }
    : { errors: [], ...found, files: made.files }
}

/**
 * Returns errors for imports of packages that the case does not declare. These are errors even if the vendored folder
 * contains the packages.
 */
function undeclared(
  path: string,
  source: string,
  tree: ReturnType<typeof parse>,
  declared: readonly string[],
): Diagnostic[] {
  if (declared.length === 0) return []
  return tree.module.staticImports.flatMap(({ moduleRequest: { value, start } }) => {
    const name = packageName(value)
    const isKnown = /^[./#]/.test(value) || isBuiltin(value) || LIBRARIES.has(value)
    if (isKnown || declared.includes(name) || declared.includes(`@types/${name}`)) return []
    const message = `imports ${name}, which the case does not declare in its dependencies`
    return [{ file: path, ...placeIn(source, start), code: null, message }]
  })
}

/**
 * If a file exports nothing, adds exports of all its declarations before it is linted. Otherwise the linter would
 * report them as unused.
 */
function withExports(source: string, tree: ReturnType<typeof parse> | undefined): string {
  if (tree === undefined || tree.module.hasModuleSyntax || tree.errors.length > 0) return source
  return `${source}\nexport { ${[...declaredValues(tree)].join(', ')} }`
}

const failed = (errors: readonly Diagnostic[]): PreparedSolution => ({
  errors: errors.slice(0, MOST_ERRORS),
  warnings: null,
  defined: null,
  files: {},
})

/** Returns all modules as JavaScript that can be loaded, and the errors of those that cannot. */
function runnables(
  sources: ReadonlyMap<string, string>,
  asScripts: boolean,
): {
  files: Record<string, LoadFile>
  errors: Diagnostic[]
} {
  const errors: Diagnostic[] = []
  const scripts = new Map<string, Script>()
  for (const [path, source] of sources) {
    if (!isScript(path) || path.endsWith('.d.ts')) continue
    try {
      const code = isTypeScript(path) ? stripped(source) : source
      scripts.set(path, { path, source: code, parsed: parse('x.js', code) })
    } catch (error) {
      if (!(error instanceof CannotStrip)) throw error
      const message = `cannot be run as JavaScript: ${error.message}`
      errors.push({ file: path, line: 1, column: 1, code: null, message })
    }
  }
  const files: Record<string, LoadFile> = {}
  for (const [path, script] of scripts)
    files[path] = moduleFile(script, scripts, { alone: sources.size === 1, asScripts })
  for (const [path, source] of sources)
    if (path.endsWith('.json'))
      // As CommonJS, `require` returns the value itself, and `import` has it as the default export.
      files[path] = {
        format: 'commonjs',
        source: `module.exports = JSON.parse(${JSON.stringify(source)})`,
      }
  return { files, errors }
}

const COMMON = /\b(?:module\.exports|exports\.[\w$]+\s*=|require\s*\()/

function moduleFile(
  script: Script,
  all: ReadonlyMap<string, Script>,
  { alone, asScripts }: { readonly alone: boolean; readonly asScripts: boolean },
): LoadFile {
  const { source, parsed: tree } = script
  const isCommon = asScripts || tree.errors.length > 0 || COMMON.test(source)
  if (!tree.module.hasModuleSyntax && isCommon) {
    const loose = parse('x.js', source, 'commonjs')
    return { format: 'commonjs', source: commonRunnable({ ...script, parsed: loose }) }
  }
  const code = runnable(script, all)
  const body = alone ? moduleBody(code, parse('x.js', code)) : null
  return body === null ? { format: 'module', source: code } : { format: 'body', source: body }
}

async function answer(request: AnalyzerRequest): Promise<AnalyzerReply> {
  if (request.kind === 'solution') return { kind: 'solution', sample: await sample(request) }
  try {
    return {
      kind: 'tests',
      tests: prepareTests(
        request.source,
        request.prelude,
        request.entryPoint,
        request.script,
        request.declared,
      ),
    }
  } catch (error) {
    if (!(error instanceof CannotStrip)) throw error
    return { kind: 'bad-tests', message: error.message }
  }
}

async function serve(): Promise<never> {
  // Use every tool once before reporting that the server is ready. Otherwise the tools would start during the first
  // request and use up its deadline.
  await checkerFor()
  await linter.lint(new Map([['warm.ts', 'export const warm: number = 1']]))
  const served = compileLater()
  link.send('ready')
  for (;;) {
    // Waiting blocks the event loop. That does no harm, because only one request is handled at a time.
    const reply = await answer(parsed(link.wait()) as AnalyzerRequest)
    link.send(reply)
    served()
  }
}

void serve()

/**
 * Checks, before any paid request to a model, that the machine has what a run needs: the toolchain for each language of
 * its cases, and the packages that cases name. If toolchains are missing, the run stops with one error that says how to
 * install them. A missing package only affects the cases that name it.
 */
import { dirname } from 'node:path'
import { type Case, isCodeGrade, type Suite, UsageError } from '@assay/contract'
import { languageByName, vendorFolders } from './languages.ts'
import { unusableVendor, vendorOf } from './vendor.ts'

/** The versions of the tools that graded the code of a run, by the name of the tool. */
export type Toolchains = Readonly<Record<string, string>>

export const isCode = (one: Pick<Case, 'graders'>): boolean => one.graders.some(isCodeGrade)

export interface PreparedCode {
  readonly toolchains: Toolchains
  /** Cases that this machine cannot grade, each with the packages that it lacks. */
  readonly lacks: ReadonlyMap<Case, string>
}

/** Checks the toolchains and packages. Throws a `UsageError` that names all missing tools. */
export async function prepareCode(suites: readonly Suite[]): Promise<PreparedCode> {
  const versions: Record<string, string> = {}
  const lacks: string[] = []
  const names = new Set(suites.flatMap(({ cases }) => cases.filter(isCode).map((c) => c.language)))
  for (const name of names) {
    const language = languageByName(name ?? '')
    if (language === undefined) {
      lacks.push(`${name ?? 'a case without a language'}: cannot be graded here`)
      continue
    }
    for (const tool of await language.inspect())
      if (tool.how === undefined) versions[tool.name] = tool.version ?? ''
      else
        lacks.push(
          `${language.name}: ${tool.name} ${tool.version === null ? 'is missing' : `${tool.version} is too old`}. ${tool.how}`,
        )
  }
  // Stop here if a tool is missing, because the search for packages needs the tools of their language.
  if (lacks.length > 0) throw new UsageError(cannotGrade(lacks))
  const lacking = new Map<Case, string>()
  for (const suite of suites) {
    const cases = suite.cases.filter(isCode)
    if (cases.length === 0) continue
    const vendor = vendorOf(dirname(suite.path))
    const unusable = unusableVendor(vendor, vendorFolders)
    lacks.push(...unusable.map((text) => `${suite.id}: ${text}`))
    if (unusable.length > 0) continue
    for (const one of cases) {
      if (one.dependencies.length === 0) continue
      const missing = await languageByName(one.language ?? '')?.missing(one.dependencies, vendor)
      if (missing !== undefined && missing.length > 0) lacking.set(one, missing.join('; '))
    }
  }
  if (lacks.length > 0) throw new UsageError(cannotGrade(lacks))
  return { toolchains: versions, lacks: lacking }
}

/** Throws a `UsageError` if any case lacks a package. This is for callers that must be able to grade every case. */
export function refuseLacks(suites: readonly Suite[], lacks: ReadonlyMap<Case, string>): void {
  if (lacks.size > 0) throw new UsageError(cannotGrade(lackLines(suites, lacks)))
}

/** Returns one line for the user per case that lacks packages, with the suite, the case and the packages. */
export const lackLines = (suites: readonly Suite[], lacks: ReadonlyMap<Case, string>): string[] =>
  suites.flatMap((suite) =>
    suite.cases.flatMap((one) => {
      const lack = lacks.get(one)
      return lack === undefined ? [] : [`${suite.id}, case ${one.id}: ${lack}`]
    }),
  )

const cannotGrade = (lacks: readonly string[]): string =>
  `this run cannot grade its code:\n${[...new Set(lacks)].map((line) => `  ${line}`).join('\n')}\n\`assay doctor\` shows what is ready here`

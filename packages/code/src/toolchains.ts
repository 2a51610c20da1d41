/**
 * What a run needs before anybody is paid: for each language of its cases the toolchain, and the packages
 * that cases name. What is missing is one error that says how to get it.
 */
import { dirname } from 'node:path'
import { type Case, isCodeGrade, type Suite, UsageError } from '@assay/contract'
import { languageByName, vendorFolders } from './languages.ts'
import { unusableVendor, vendorOf } from './vendor.ts'

/** What the code of a run was graded with, by name. */
export type Toolchains = Readonly<Record<string, string>>

export const isCode = (one: Pick<Case, 'graders'>): boolean => one.graders.some(isCodeGrade)

/** The versions of the tools, or a `UsageError` that names all that is missing. */
export async function prepareCode(suites: readonly Suite[]): Promise<Toolchains> {
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
  for (const suite of suites) lacks.push(...(await missingPackages(suite)))
  if (lacks.length > 0)
    throw new UsageError(
      `this run cannot grade its code:\n${[...new Set(lacks)].map((line) => `  ${line}`).join('\n')}\n\`assay doctor\` shows what is ready here`,
    )
  return versions
}

async function missingPackages(suite: Suite): Promise<string[]> {
  const cases = suite.cases.filter(isCode)
  if (cases.length === 0) return []
  const vendor = vendorOf(dirname(suite.path))
  const lacks = unusableVendor(vendor, vendorFolders).map((text) => `${suite.id}: ${text}`)
  if (lacks.length > 0) return lacks
  for (const one of cases) {
    if (one.dependencies.length === 0) continue
    const missing = await languageByName(one.language ?? '')?.missing(one.dependencies, vendor)
    for (const text of missing ?? []) lacks.push(`${suite.id}, case ${one.id}: ${text}`)
  }
  return lacks
}

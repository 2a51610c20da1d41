/**
 * The tools of each language that are currently open, one set for each sandbox. They keep compilers and linters
 * running between solutions, because starting them is slow.
 */
import type { Suite } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'
import type { Language, LanguageTools } from './language.ts'
import { languageByName } from './languages.ts'
import { isCode } from './toolchains.ts'

const open = new Map<Sandbox, Map<string, LanguageTools>>()

export function toolsOf(language: Language, sandbox: Sandbox): LanguageTools {
  const own = open.get(sandbox) ?? new Map<string, LanguageTools>()
  open.set(sandbox, own)
  const tools = own.get(language.name) ?? language.open(sandbox)
  own.set(language.name, tools)
  return tools
}

/** Starts the tools for the languages of these suites in advance, so that the first solution does not wait for them. */
export function startTools(suites: readonly Suite[], sandbox: Sandbox): void {
  const names = new Set(suites.flatMap(({ cases }) => cases.filter(isCode).map((c) => c.language)))
  for (const name of names) {
    const language = languageByName(name ?? '')
    if (language !== undefined) toolsOf(language, sandbox).start()
  }
}

/** Closes the tools of a sandbox, or all tools. Grading another solution opens them again. */
export async function closeTools(sandbox?: Sandbox): Promise<void> {
  const closing = sandbox === undefined ? [...open.keys()] : [sandbox]
  const all = closing.flatMap((one) => [...(open.get(one)?.values() ?? [])])
  for (const one of closing) open.delete(one)
  await Promise.all(all.map((tools) => tools.close()))
}

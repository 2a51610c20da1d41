/** The languages' tools that are open, one set for each sandbox: they hold compilers and linters ready. */
import type { Sandbox } from '@assay/sandbox'
import type { Language, LanguageTools } from './language.ts'

const open = new Map<Sandbox, Map<string, LanguageTools>>()

export function toolsOf(language: Language, sandbox: Sandbox): LanguageTools {
  const own = open.get(sandbox) ?? new Map<string, LanguageTools>()
  open.set(sandbox, own)
  const tools = own.get(language.name) ?? language.open(sandbox)
  own.set(language.name, tools)
  return tools
}

/** Ends what they hold. The next sample opens them anew. */
export async function closeTools(): Promise<void> {
  const all = [...open.values()].flatMap((own) => [...own.values()])
  open.clear()
  await Promise.all(all.map((tools) => tools.close()))
}

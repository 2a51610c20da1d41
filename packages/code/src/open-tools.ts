/** The open tools of all languages, one set per sandbox. They keep compilers and linters running. */
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

/** Closes all tools. The next solution opens them again. */
export async function closeTools(): Promise<void> {
  const all = [...open.values()].flatMap((own) => [...own.values()])
  open.clear()
  await Promise.all(all.map((tools) => tools.close()))
}

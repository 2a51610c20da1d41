/** Reads the key `prompts` of a suite or an experiment, and the files that it names. */
import path from 'node:path'
import type { Message, Prompt } from '@assay/contract'
import { fileError, quote, readDocument, type Notes, type Path } from '../../documents/index.ts'
import { findDataFiles } from '../data/data-files.ts'
import type { SuiteFiles } from '../native/suite-files.ts'
import {
  promptTableSchema,
  type PromptsGiven,
  type PromptTable,
  type PromptText,
} from './prompt-schema.ts'

interface Reading {
  readonly beside: SuiteFiles
  /** The path of the file that contains the prompts, as the user typed it. */
  readonly file: string
  readonly notes: Notes
}

/** Returns the prompts in the order of the file. Problems are noted. */
export async function readPrompts(given: PromptsGiven, reading: Reading): Promise<Prompt[]> {
  const prompts: Prompt[] = []
  if (typeof given === 'string' || Array.isArray(given)) {
    const names = [given].flat()
    for (const [index, name] of names.entries()) {
      const at: Path = Array.isArray(given) ? ['prompts', index] : ['prompts']
      prompts.push(...(await readFiles(name, at, reading)))
    }
  } else
    for (const [name, one] of Object.entries(given)) {
      const prompt = await readPrompt(name, one, ['prompts', name], reading)
      if (prompt !== null) prompts.push(prompt)
    }
  const twice = prompts.find(({ name }, at) => prompts.findIndex((one) => one.name === name) < at)
  if (twice !== undefined)
    reading.notes.problem(['prompts'], {
      found: `two prompts ${quote(twice.name)}`,
      expected: 'prompts with different names',
    })
  return prompts
}

/** Reads the files that a path or a pattern names. The name of a prompt is the file's name without its extension. */
async function readFiles(pattern: string, at: Path, reading: Reading): Promise<Prompt[]> {
  const found = await findDataFiles(pattern, reading.beside, reading.file)
  if ('refusal' in found) {
    const { found: what, expected } = found.refusal
    reading.notes.problem(at, { found: `${quote(pattern)} (${what})`, expected })
    return []
  }
  const prompts: Prompt[] = []
  for (const { name: shown } of found) {
    const file = path.relative(path.dirname(reading.file), shown).split(path.sep).join('/')
    const name = path.basename(file).replace(/\.[^.]+$/, '')
    const prompt = await readPrompt(name, { file }, at, reading)
    if (prompt !== null) prompts.push(prompt)
  }
  return prompts
}

async function readPrompt(
  name: string,
  given: PromptText | PromptTable,
  at: Path,
  reading: Reading,
): Promise<Prompt | null> {
  if (typeof given === 'string') return { name, user: given }
  if (!('file' in given)) return await fromTable(name, given, at, reading)
  const text = await readText(given, at, reading)
  if (text === null) return null
  if (!/\.(?:ya?ml|json)$/i.test(given.file)) return { name, user: text }
  const shown = path.join(path.dirname(reading.file), given.file)
  const { value } = readDocument(
    shown,
    text,
    given.file.toLowerCase().endsWith('json') ? 'json' : 'yaml',
  )
  const table = promptTableSchema.safeParse(Array.isArray(value) ? { messages: value } : value)
  if (!table.success)
    throw fileError(
      shown,
      'no prompt',
      `a list of messages, or a table with system, user and messages (${table.error.issues[0]?.message ?? ''})`,
    )
  return await fromTable(name, table.data, at, reading)
}

async function fromTable(
  name: string,
  given: PromptTable,
  at: Path,
  reading: Reading,
): Promise<Prompt | null> {
  const textAt = async (text: PromptText, ...steps: Path): Promise<string> =>
    typeof text === 'string' ? text : ((await readText(text, [...at, ...steps], reading)) ?? '-')
  const messages: Message[] = []
  for (const [index, { role, content }] of (given.messages ?? []).entries())
    messages.push({ role, content: await textAt(content, 'messages', index, 'content') })
  const systems = messages.filter(({ role }) => role === 'system')
  if (systems.length > 1 || (systems.length === 1 && messages[0]?.role !== 'system'))
    reading.notes.problem([...at, 'messages'], {
      found: 'a system message after others',
      expected: 'at most one system message, at the beginning',
    })
  if (systems.length > 0 && given.system !== undefined)
    reading.notes.problem([...at, 'system'], {
      at: 'key',
      found: 'two system messages',
      expected: 'system, or a message with this role',
    })
  const said = messages.filter(({ role }) => role !== 'system')
  const isAsked = said.at(-1)?.role === 'user'
  if (said.some(({ role }, place) => role === (place % 2 === 0 ? 'assistant' : 'user')))
    reading.notes.problem([...at, 'messages'], {
      found: 'two messages of the same role in a row',
      expected: 'user and assistant in turns, beginning with user',
    })
  const examples = isAsked ? said.slice(0, -1) : said
  const system =
    given.system === undefined ? systems[0]?.content : await textAt(given.system, 'system')
  const user = isAsked
    ? said.at(-1)?.content
    : given.user === undefined
      ? undefined
      : await textAt(given.user, 'user')
  return {
    name,
    ...(system === undefined ? {} : { system }),
    ...(examples.length === 0 ? {} : { examples }),
    ...(user === undefined ? {} : { user }),
  }
}

async function readText(
  { file }: { readonly file: string },
  at: Path,
  { beside, notes }: Reading,
): Promise<string | null> {
  const read = await beside.text(file)
  if ('refusal' in read) {
    notes.problem(at, {
      found: `${quote(file)} (${read.refusal.found})`,
      expected: read.refusal.expected,
    })
    return null
  }
  // Editors end a file with a line break, and that line break is not part of the prompt.
  const text = read.text.replaceAll('\r\n', '\n').replace(/\n+$/, '')
  if (text.trim() !== '') return text
  notes.problem(at, { found: `${quote(file)} (a blank file)`, expected: 'a prompt' })
  return null
}

/**
 * Converts tool calls of Codex's model into the form that Codex's stream uses. The stream contains items such as
 * `command_execution`, whichever tool the model called, and it shows commands with the shell that runs them.
 */
import { posix } from 'node:path'
import type { Json } from '@assay/contract'
import { canonicalJson } from '@assay/contract/hash'
import { listAt, textAt } from '../trajectory/fields.ts'
import type { CallFacts } from '../agent-kind.ts'

/** The tools that run a command. Their names differ between versions and models. */
const SHELLS = new Set([
  'shell',
  'local_shell',
  'container.exec',
  'shell_command',
  'exec_command',
  'unified_exec',
])

export function codexTold(
  { name, args }: CallFacts,
  { folder }: { readonly folder: string },
): CallFacts {
  const command = SHELLS.has(name) ? commandOf(args) : ''
  const patch = patchOf(name, args, command)
  if (patch !== null) return { name: 'file_change', args: { changes: changesIn(patch, folder) } }
  if (SHELLS.has(name)) return { name: 'command_execution', args: { command } }
  if (name === 'update_plan') return { name: 'todo_list', args }
  return { name: serverTool(name), args }
}

export function codexCallKey({ name, args }: CallFacts): string | null {
  if (LOOSE.has(name)) return null
  if (name === 'command_execution') return bare(textAt(args, 'command'))
  return name === 'file_change' ? shown(args) : canonicalJson(args)
}

/** Items whose fields differ from the arguments of the call, so that the arguments cannot be compared. */
const LOOSE = new Set([
  'todo_list',
  'web_search',
  'spawn_agent',
  'send_input',
  'wait',
  'close_agent',
])

/** Returns the command. In a call it is a text, or a list of words whose last word is a script for a shell. */
function commandOf(args: Json): string {
  const text = textAt(args, 'cmd') || textAt(args, 'command')
  if (text !== '') return text
  const words = listAt(args, 'command').filter((one) => typeof one === 'string')
  const [shell = '', flag = '', script] = words
  return words.length === 3 && /(?:^|\/)(?:ba|z)?sh$/u.test(shell) && /^-l?c$/u.test(flag)
    ? (script ?? '')
    : words.join(' ')
}

const SHELL_WORDS = /^(?:\/\S*\/)?(?:ba|z)?sh -l?c /u

/** Removes the shell and the quotes from a command, because Codex adds them in its stream. */
const bare = (command: string): string =>
  command
    .replace(SHELL_WORDS, '')
    .replaceAll(/["'\\]/gu, '')
    .trim()

function patchOf(name: string, args: Json, command: string): string | null {
  const text = typeof args === 'string' ? args : textAt(args, 'input') || textAt(args, 'patch')
  if (name === 'apply_patch') return text
  return /^\s*apply_patch\b/u.test(command) && command.includes('*** Begin Patch') ? command : null
}

const KINDS: Readonly<Record<string, string>> = { Add: 'add', Update: 'update', Delete: 'delete' }
const CHANGE = /^\*\*\* (Add|Update|Delete) File: (.+)$/gmu

const changesIn = (patch: string, folder: string): { path: string; kind: string }[] =>
  [...patch.matchAll(CHANGE)].map(([, kind = '', path = '']) => ({
    path: posix.resolve(folder, path.trim()),
    kind: KINDS[kind] ?? '',
  }))

const shown = (args: Json): string =>
  listAt(args, 'changes')
    .map((one) => `${textAt(one, 'kind')} ${textAt(one, 'path')}`)
    .toSorted()
    .join('\n')

/** Returns the name of a tool of an MCP server in the form of the stream, SERVER.TOOL. */
function serverTool(name: string): string {
  const [, server, tool] = /^(?:mcp__)?(.+?)(?:__|\.)(.+)$/u.exec(name) ?? []
  return server === undefined || tool === undefined
    ? name
    : `${server.replace(/^mcp__/u, '')}.${tool}`
}

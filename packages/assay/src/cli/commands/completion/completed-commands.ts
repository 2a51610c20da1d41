/**
 * Describes, as data, what a shell can complete: for each command its subcommands, its flags, and the kinds of their
 * values.
 */
import type { Argument, Command, Option } from 'commander'

/** The kind of a value: one of several words, a file, a run, or `other` if no shell can complete it. */
export type Value = readonly string[] | 'file' | 'run' | 'other'

export interface CompletedFlag {
  /** The names of the flag as the user types them: `--model`, `-m`. */
  readonly names: readonly string[]
  readonly description: string
  /** The kind of the flag's value. Null if the flag takes no value. */
  readonly value: Value | null
}

export interface CompletedCommand {
  /** The words after `assay` that name the command. Empty for `assay` itself. */
  readonly words: readonly string[]
  readonly description: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly flags: readonly CompletedFlag[]
  /** The kind of the command's arguments. */
  readonly value: Value
}

const FILES = /^(?:file|files|path|paths|dir|folders|suites|parts)$/
const RUNS = /^(?:run|runs)$/

/** Returns the command and all commands below it. */
export function completedCommands(
  command: Command,
  words: readonly string[] = [],
): CompletedCommand[] {
  const shown = command.commands.filter((one) => !one.name().startsWith('_'))
  const [argument] = command.registeredArguments
  const help = { names: ['--help', '-h'], description: 'show the help', value: null }
  return [
    {
      words,
      description: command.description(),
      commands: shown.map((one) => ({ name: one.name(), description: one.description() })),
      flags: [...command.options.filter((option) => !option.hidden).map(flagOf), help],
      value: argument === undefined ? 'other' : valueOf(argument.name(), argument),
    },
    ...shown.flatMap((one) => completedCommands(one, [...words, one.name()])),
  ]
}

function flagOf(option: Option): CompletedFlag {
  const name = /[<[]([^\]>.]+)/.exec(option.flags)?.[1]
  return {
    names: [option.long, option.short].filter((one) => one !== undefined && one !== null),
    description: option.description,
    value: name === undefined ? null : valueOf(name, option),
  }
}

function valueOf(name: string, { argChoices }: Option | Argument): Value {
  if (argChoices !== undefined && argChoices.length > 0) return argChoices
  if (FILES.test(name)) return 'file'
  return RUNS.test(name) ? 'run' : 'other'
}

/** Returns a text in single quotes. Every shell takes such a text literally. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Makes the completion script for fish, with descriptions. */
import { shellQuoted, type CompletedCommand, type Value } from './completed-commands.ts'

/** Quotes a text for fish. Unlike other shells, fish interprets backslashes in single quotes, so they are doubled. */
const quoted = (text: string): string =>
  shellQuoted(text.replaceAll('\\', '\\\\')).replaceAll(`'\\''`, `\\'`)

function taken(value: Value | null): string {
  if (value === null) return ''
  if (value === 'file') return ' -r -F'
  if (value === 'run') return ` -r -F -a '(__assay_runs)'`
  return value === 'other' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`
}

/** Returns a fish condition that is true if the typed words name this command and no command below it. */
function condition({ words, commands }: CompletedCommand): string {
  const below = commands.map(({ name }) => name).join(' ')
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`)
  const none = below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`]
  return quoted([...seen, ...none].join('; and '))
}

function linesOf(command: CompletedCommand): string[] {
  const start = `complete -c assay -n ${condition(command)}`
  const { commands, flags, value } = command
  return [
    ...commands.map(({ name, description }) => `${start} -f -a ${name} -d ${quoted(description)}`),
    // An argument is completed like the value of a flag, but it is optional. So the line must not have `-r`, which
    // requires a value. `-x` means `-r -f`, so it becomes `-f`.
    ...(commands.length > 0
      ? []
      : [`${start}${taken(value).replace(' -r', '').replace(' -x', ' -f')}`]),
    ...flags.map(({ names, description, value: given }) => {
      const spelt = names.map((name) =>
        name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      )
      return `${start} ${spelt.join(' ')}${taken(given)} -d ${quoted(description)}`
    }),
  ]
}

export function fishScript(commands: readonly CompletedCommand[]): string {
  return `# fish completion for assay, written by \`assay completion fish\`
function __assay_runs
  echo latest
  command ls .assay/runs 2>/dev/null
end
${commands.flatMap(linesOf).join('\n')}
`
}

/** Makes the completion script for zsh, with descriptions. */
import { shellQuoted, type CompletedCommand, type Value } from './completed-commands.ts'

function complete(value: Value): string {
  if (value === 'file') return '_files'
  if (value === 'run') return 'compadd latest .assay/runs/*(N:t); _files'
  if (value === 'other') return 'return 1'
  return `compadd ${value.map(shellQuoted).join(' ')}`
}

/** Returns an entry of a list with descriptions. In zsh, the name ends at the first colon without a backslash. */
const entry = (name: string, description: string): string =>
  shellQuoted(`${name.replaceAll(':', '\\:')}:${description}`)

export function zshScript(commands: readonly CompletedCommand[]): string {
  const steps = commands
    .slice(1)
    .map(
      ({ words }) =>
        `      "${words.slice(0, -1).join(' ')}/${words.at(-1)}") at="${words.join(' ')}" ;;`,
    )
  const values = commands.flatMap(({ words, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === null
        ? []
        : [
            `    ${names.map((name) => `"${words.join(' ')}/${name}"`).join('|')}) ${complete(value)}; return ;;`,
          ],
    ),
  )
  const rest = commands.map(({ words, commands: below, flags, value }) => {
    const listed = flags.flatMap(({ names, description }) =>
      names.map((name) => entry(name, description)),
    )
    const own =
      below.length === 0
        ? complete(value)
        : `found=(${below.map(({ name, description }) => entry(name, description)).join(' ')}); _describe command found`
    return `    "${words.join(' ')}")
      if [[ $cur == -* ]]; then found=(${listed.join(' ')}); _describe -o flag found
      else ${own}
      fi ;;`
  })
  return `#compdef assay
# zsh completion for assay, written by \`assay completion zsh\`
_assay() {
  local cur="$words[CURRENT]" prev="$words[CURRENT-1]" at="" i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/$words[i]" in
${steps.join('\n')}
    esac
  done
  case "$at/$prev" in
${values.join('\n')}
  esac
  case "$at" in
${rest.join('\n')}
  esac
}
compdef _assay assay
`
}

/** Makes the completion script for bash. The script needs nothing but bash itself. */
import type { CompletedCommand, Value } from './completed-commands.ts'

/**
 * A shell function that offers runs and files. The folder may come from another person, and `compgen -W` would
 * execute a name such as `$(command)`. So names are only compared. With `filenames`, bash quotes the name that it
 * inserts.
 */
const RUNS = `_assay_runs() {
  local name
  compopt -o filenames 2>/dev/null
  COMPREPLY=()
  for name in latest .assay/runs/*; do
    name="\${name##*/}"
    if [[ $name != "*" && $name == "$cur"* ]]; then COMPREPLY+=("$name"); fi
  done
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$cur")
}
`

function reply(value: Value): string {
  if (value === 'file') return 'compopt -o default 2>/dev/null; COMPREPLY=()'
  if (value === 'run') return '_assay_runs'
  if (value === 'other') return 'COMPREPLY=()'
  return `COMPREPLY=($(compgen -W "${value.join(' ')}" -- "$cur"))`
}

export function bashScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.slice(1).map(({ words }) => words)
  const steps = paths.map(
    (words) =>
      `      "${words.slice(0, -1).join(' ')}/${words.at(-1)}") at="${words.join(' ')}" ;;`,
  )
  const values = commands.flatMap(({ words, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === null
        ? []
        : [
            `    ${names.map((name) => `"${words.join(' ')}/${name}"`).join('|')}) ${reply(value)}; return ;;`,
          ],
    ),
  )
  const rest = commands.map(({ words, commands: below, flags, value }) => {
    const names = flags.flatMap((flag) => flag.names).join(' ')
    const own = below.length === 0 ? reply(value) : reply(below.map(({ name }) => name))
    return `    "${words.join(' ')}") if [[ $cur == -* ]]; then ${reply([names])}; else ${own}; fi ;;`
  })
  return `# bash completion for assay, written by \`assay completion bash\`
${RUNS}_assay() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
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
complete -F _assay assay
`
}

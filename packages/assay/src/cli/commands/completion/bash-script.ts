/** The completion of bash. It needs nothing but bash itself. */
import type { CompletedCommand, Value } from './completed-commands.ts'

const RUNS = 'latest $(command ls .assay/runs 2>/dev/null)'

function reply(value: Value): string {
  if (value === 'file') return 'compopt -o default 2>/dev/null; COMPREPLY=()'
  if (value === 'run')
    return `COMPREPLY=($(compgen -W "${RUNS}" -- "$cur") $(compgen -f -- "$cur"))`
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
_assay() {
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

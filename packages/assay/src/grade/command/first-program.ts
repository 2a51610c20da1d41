/**
 * Finds the program that a suite's command names. If the sandbox lacks this program, the suite or the machine is at
 * fault, and the answer must not fail. If any other program is missing, the graded work asked for it, and the work
 * is at fault.
 */

/** Matches the name of a program, or its absolute path. */
const NAME = /^(?:\/)?[\w.+-]+(?:\/[\w.+@-]+)*$/u
const ASSIGNMENT = /^[A-Za-z_]\w*=(?:[^\s'"`$\\;&|<>()]*|'[^']*'|"[^"`$\\]*")(?:\s+|$)/u

/**
 * Returns the program as a name or an absolute path. Returns null if the program is a file of the work (a relative
 * path) or if only the shell can tell what it is. In a shell text only the first program counts, because it may
 * create the programs that follow.
 */
export function firstProgram(command: string | readonly string[]): string | null {
  const first = typeof command === 'string' ? firstWord(command) : (command[0] ?? null)
  if (first === null || (first.includes('/') && !first.startsWith('/'))) return null
  return first
}

function firstWord(text: string): string | null {
  let rest = text.trimStart()
  for (let found = ASSIGNMENT.exec(rest); found !== null; found = ASSIGNMENT.exec(rest)) {
    if (found[0].startsWith('PATH=')) return null
    rest = rest.slice(found[0].length)
  }
  const [, word = '', next = ''] = /^([^\s;&|<>()'"`$\\]+)(\s*\(|)/u.exec(rest) ?? []
  // The text `name() {` defines a shell function and does not start a program.
  return NAME.test(word) && next === '' ? word : null
}

/**
 * Finds the program that a suite's command names. If the sandbox lacks it, the suite or the machine is at fault. Any
 * other missing program is one that the graded work names, and that is the fault of the work.
 */

/** The name of a program, or its absolute path. */
const NAME = /^(?:\/)?[\w.+-]+(?:\/[\w.+@-]+)*$/u
const ASSIGNMENT = /^[A-Za-z_]\w*=(?:[^\s'"`$\\;&|<>()]*|'[^']*'|"[^"`$\\]*")(?:\s+|$)/u

/**
 * Returns the program, by name or absolute path; null if it is a file of the work (a relative path), or if the shell
 * decides it. Of a text for the shell only the first program counts, because it may create the others.
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
  // `name() {` defines a function.
  return NAME.test(word) && next === '' ? word : null
}

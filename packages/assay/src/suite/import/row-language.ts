/**
 * Finds the programming language of a row, in its own field or in the task's name (`JavaScript/0`). A row without a
 * language counts as Python, because the first data sets of this kind contained only Python.
 */
import { canGrade, gradableLanguages } from '@assay/code'
import { isProgrammingLanguage, languageName } from '../language.ts'
import { type Notes, quote } from '../../documents/index.ts'

const DEFAULT = 'python'
const FIELDS = ['language', 'programming_language', 'lang'] as const

/** The names that MBXP uses for its tasks in each language. */
const TASKS: Readonly<Record<string, string>> = {
  mbpp: 'python',
  mbjsp: 'javascript',
  mbtsp: 'typescript',
  mbjp: 'java',
  mbgp: 'go',
  mbkp: 'kotlin',
  mbrbp: 'ruby',
  mbphp: 'php',
  mbphpp: 'php',
  mbplp: 'perl',
  mbscp: 'scala',
  mbswp: 'swift',
  mbcsp: 'csharp',
  mbcpp: 'cpp',
}

interface Stated {
  readonly key: string
  readonly value: string
  readonly language: string
}

/** Returns the language and the field from which it was read. If Assay cannot grade the language, notes a problem. */
export function rowLanguage(
  row: Readonly<Record<string, unknown>>,
  notes: Notes,
): { readonly language: string; readonly field: string | null } {
  const named = inField(row)
  const task = inTask(row['task_id'])
  if (named !== null && task !== null && named.language !== task.language)
    notes.problem([named.key], {
      found: `${named.language}, and ${task.language} in task_id (${quote(task.value)})`,
      expected: 'one language',
    })
  const stated = named ?? task
  if (stated !== null && !canGrade(stated.language))
    notes.problem([stated.key], {
      found: `a row in ${stated.language} (${quote(stated.value)})`,
      expected: `a row in a language that can be graded here: ${gradableLanguages().join(', ')}`,
    })
  return { language: stated?.language ?? DEFAULT, field: named?.key ?? null }
}

/** Returns the language in a field. A field may also contain a human language such as English, which is ignored. */
function inField(row: Readonly<Record<string, unknown>>): Stated | null {
  for (const key of FIELDS) {
    const value = Object.hasOwn(row, key) ? row[key] : undefined
    if (typeof value !== 'string' || value.trim() === '') continue
    const language = languageName(value)
    if (isProgrammingLanguage(language) || !isSpoken(value)) return { key, value, language }
  }
  return null
}

/**
 * This is created on first use, because creating it takes milliseconds and every command that reads suites loads
 * this file.
 */
let spoken: Intl.DisplayNames | undefined
const SPOKEN = /^(?:english|chinese|japanese|korean|german|french|spanish|russian|portuguese)$/i

function isSpoken(value: string): boolean {
  const [code = ''] = value.trim().split(/[-_]/, 1)
  if (SPOKEN.test(value.trim())) return true
  if (!/^[a-z]{2}$/i.test(code)) return false
  spoken ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  return spoken.of(code) !== undefined
}

/**
 * Returns the language in a task id: `JavaScript/0`, `HumanEval/JavaScript/0`, `humaneval-js/0`, `MBJSP/1`. A single
 * letter is ignored, because it is more likely the name of a chapter than of a language.
 */
function inTask(id: unknown): Stated | null {
  if (typeof id !== 'string') return null
  for (const part of id.split('/').slice(0, -1)) {
    const [, last = part] =
      /^(?:human[-_]?eval|mbpp|mbxp)[-_a-z+]*?[-_]([a-z+#]+)$/i.exec(part) ?? []
    const task = TASKS[part.trim().toLowerCase()]
    const language = task ?? languageName(last)
    if (task !== undefined || (last.length > 1 && isProgrammingLanguage(language)))
      return { key: 'task_id', value: id, language }
  }
  return null
}

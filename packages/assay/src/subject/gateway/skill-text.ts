/**
 * Finds out from an agent's requests whether it used a skill. An agent knows the names and descriptions of all skills,
 * but sends the text of a skill to its model only when it uses the skill. So finding this text in a request proves the
 * use.
 */
import { basename, join } from 'node:path'
import { readOwn } from '../../log/index.ts'
import { isRecord } from '../json.ts'

export interface SkillText {
  readonly name: string
  /** Lines by which the skill's text is recognized. Empty if all of its lines also occur elsewhere. */
  readonly lines: readonly string[]
}

const MOST_BYTES = 1024 * 1024
/** The least length of a line by which a skill is recognized. Shorter lines often occur in other texts too. */
const LEAST_LINE = 12
/**
 * The most lines per skill. They are taken from its beginning, because an agent may read only the beginning of a skill.
 */
const MOST_LINES = 12

/** Returns the recognizable lines of each skill. `others` are texts that the agent knows anyway, such as its prompt. */
export function skillTexts(
  folders: readonly string[],
  others: readonly string[],
): readonly SkillText[] {
  const read = folders.map((folder) => ({
    name: basename(folder),
    ...splitSkill(contentOf(join(folder, 'SKILL.md'))),
  }))
  return read.map(({ name, body }) => {
    const known = [
      ...others,
      ...read.map(({ head }) => head),
      ...read.filter((one) => one.name !== name).map((one) => one.body),
    ]
    const lines = body
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.length >= LEAST_LINE && !known.some((text) => text.includes(line)))
    return { name, lines: [...new Set(lines)].slice(0, MOST_LINES) }
  })
}

/**
 * Returns the text of a skill. Returns an empty text if it cannot be read or is too large. It is then never recognized.
 */
function contentOf(path: string): string {
  try {
    return readOwn(path, MOST_BYTES).toString('utf8')
  } catch {
    return ''
  }
}

/**
 * Separates the head of a skill from its body. The head is between two lines of `---` and has the name and description.
 */
function splitSkill(text: string): { readonly head: string; readonly body: string } {
  const [head = ''] = /^\uFEFF?---\r?\n[^]*?\r?\n---[^\S\n]*\r?\n/u.exec(text) ?? []
  return { head, body: text.slice(head.length) }
}

/** Returns the names of the skills of which the request contains at least half of the lines. */
export function skillsInRequest(asked: unknown, skills: readonly SkillText[]): readonly string[] {
  const sought = skills.filter(({ lines }) => lines.length > 0)
  if (sought.length === 0) return []
  const texts = textsIn(asked)
  return sought
    .filter(({ lines }) => {
      const found = lines.filter((line) => {
        // The line may be part of a JSON text inside a text of the request, such as a tool's result. There it is
        // escaped.
        const escaped = JSON.stringify(line).slice(1, -1)
        return texts.some((text) => text.includes(line) || text.includes(escaped))
      })
      return found.length * 2 >= lines.length
    })
    .map(({ name }) => name)
}

/** Returns all texts in a JSON value, at any depth. */
function textsIn(given: unknown): string[] {
  const texts: string[] = []
  const waiting: unknown[] = [given]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') texts.push(value)
    else if (Array.isArray(value)) for (const one of value) waiting.push(one)
    else if (isRecord(value)) for (const one of Object.values(value)) waiting.push(one)
  }
  return texts.filter((text) => text.length >= LEAST_LINE)
}

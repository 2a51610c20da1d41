/**
 * Finds the settings in which the tiers of an experiment differ. Tiers may also differ in a way that the user did not
 * intend (a temperature left in one table, a longer system prompt). The effect of that would be mistaken for the effect
 * of the intended difference. So an experiment with an unintended difference is refused before any request is sent, and
 * the error names the setting.
 */
import { UsageError, plain } from '@assay/contract'
import { nearest } from '../text/index.ts'
import { describeSubject, type NamedSubject } from '../subject/index.ts'
import type { Experiment } from './load.ts'
import { subjectSettingsSchema } from './subject-schema.ts'

const KEYS = Object.keys(subjectSettingsSchema.shape)
const MOST_SHOWN = 40

/** Returns the paths of the settings in which tiers differ. Throws if `vary` does not allow one of these settings. */
export function checkVary(
  { file, tiers, vary }: Experiment,
  named: Readonly<Record<string, NamedSubject>>,
): string[] {
  for (const name of vary) checkKnown(file, name)
  const all = new Set<string>()
  for (const { order } of tiers) {
    const described = order.map((subject) => ({
      subject,
      // `folder` is only the location of the file, not a setting of the subject.
      leaves: leavesOf({ ...describeSubject(subject, named), folder: undefined }),
    }))
    const differing = differences(described.map(({ leaves }) => leaves))
    const wrong = differing.filter((path) => !vary.some((name) => isWithin(path, name)))
    const [first] = wrong
    if (first !== undefined) {
      const shown = described
        .slice(0, 4)
        .map(({ subject, leaves }) => `${plain(subject)} ${valueText(first, leaves.get(first))}`)
      const more = wrong.length > 1 ? ` So do: ${wrong.slice(1).map(plain).join(', ')}.` : ''
      const asked = [...new Set([...vary, ...wrong])].map((name) => JSON.stringify(name))
      throw new UsageError(
        `${plain(file)}: the tiers differ in ${plain(first)}, which may not vary: ${shown.join(', ')}.${more} Make them equal, or allow it: vary = [${asked.map(plain).join(', ')}]`,
      )
    }
    for (const path of differing) all.add(path)
  }
  return [...all]
}

function checkKnown(file: string, name: string): void {
  const [key = ''] = name.split('.')
  if (KEYS.includes(key)) return
  const near = nearest(key, KEYS)
  throw new UsageError(
    `${plain(file)}: vary names "${plain(name)}", which is not a setting of a subject${near === null ? `; there are ${KEYS.join(', ')}` : `; did you mean ${near}?`}`,
  )
}

const isWithin = (path: string, name: string): boolean =>
  path === name || path.startsWith(`${name}.`)

/**
 * Describes a value for a message. Values of environment variables and headers may be secret, so they are not shown.
 */
function valueText(path: string, value: string | undefined): string {
  if (/(?:^|\.)(?:env|headers)\./.test(path)) return 'has its own'
  if (value === undefined) return 'has none'
  const safe = plain(value)
  return `has ${safe.length > MOST_SHOWN ? `${safe.slice(0, MOST_SHOWN)}…` : safe}`
}

/** Returns a map from the path of every setting to its value as JSON. */
function leavesOf(
  value: unknown,
  path = '',
  leaves = new Map<string, string>(),
): Map<string, string> {
  if (value === undefined) return leaves
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return leaves.set(path, JSON.stringify(value))
  for (const [key, entry] of Object.entries(value))
    leavesOf(entry, path === '' ? key : `${path}.${key}`, leaves)
  return leaves
}

function differences(sides: readonly ReadonlyMap<string, string>[]): string[] {
  const paths = [...new Set(sides.flatMap((leaves) => [...leaves.keys()]))].sort()
  return paths.filter((path) => new Set(sides.map((leaves) => leaves.get(path))).size > 1)
}

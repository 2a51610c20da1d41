/**
 * Makes a subject from every combination of the values of a matrix's axes. An axis is named after a setting and lists
 * its values (`temperature = [0, 0.7]`), or it is a table of named groups of settings (`[matrix.prompt.terse]`). A
 * subject's name consists of the names of its values, axis by axis.
 */
import type { Json } from '@assay/contract'
import type { Notes } from '../documents/index.ts'
import { subjectSettingsSchema } from './subject-schema.ts'

interface AxisValue {
  readonly label: string
  readonly settings: Readonly<Record<string, unknown>>
}

export interface MatrixCell {
  /** For each axis, the name of the subject's value on that axis. */
  readonly labels: readonly string[]
  readonly name: string
  readonly settings: Readonly<Record<string, unknown>>
}

export interface Matrix {
  readonly axes: readonly string[]
  readonly cells: readonly MatrixCell[]
  /** The names of the settings that the axes set. */
  readonly keys: readonly string[]
}

const BETWEEN = ' / '
/**
 * The maximum number of subjects. An experiment with more is a mistake, or should be split into several experiments.
 */
const MOST_CELLS = 200
const KEYS = Object.keys(subjectSettingsSchema.shape)

export function readMatrix(
  axes: Readonly<Record<string, unknown>>,
  base: Readonly<Record<string, unknown>>,
  notes: Notes,
): Matrix {
  const names = Object.keys(axes)
  const values = names.map((axis) => axisValues(axis, axes[axis], notes))
  const settersOf = new Map<string, string>()
  for (const [i, axis] of names.entries())
    for (const key of new Set((values[i] ?? []).flatMap(({ settings }) => Object.keys(settings)))) {
      const other = settersOf.get(key)
      if (other !== undefined)
        notes.problem(['matrix', axis], {
          at: 'key',
          found: `a second axis that sets ${key}`,
          expected: `one axis for each setting (${other} sets it too)`,
        })
      settersOf.set(key, axis)
    }
  const size = values.reduce((product, { length }) => product * length, 1)
  if (size > MOST_CELLS)
    notes.problem(['matrix'], {
      at: 'key',
      found: `${size} combinations`,
      expected: `at most ${MOST_CELLS}`,
    })
  const cells = size > MOST_CELLS ? [] : combinations(values).map((chosen) => cellOf(chosen, base))
  return { axes: names, cells, keys: [...settersOf.keys()] }
}

function axisValues(axis: string, given: unknown, notes: Notes): AxisValue[] {
  if (!Array.isArray(given))
    return Object.entries(given as Record<string, Record<string, unknown>>).map(
      ([label, settings]) => ({ label, settings }),
    )
  if (!KEYS.includes(axis)) {
    notes.unknownKey(['matrix', axis], KEYS)
    return []
  }
  const values = (given as Json[]).map((value, i): AxisValue => {
    const label = axis === 'model' ? labelOf(value) : `${axis}=${labelOf(value)}`
    if (label.length > 60 || /[,\p{Cc}]/u.test(label))
      notes.problem(['matrix', axis, i], {
        found: 'a value too long for a name',
        expected: `a table of named values: [matrix.${axis}.NAME] with ${axis} = …`,
      })
    return { label, settings: { [axis]: value } }
  })
  if (new Set(values.map(({ label }) => label)).size < values.length)
    notes.problem(['matrix', axis], { found: 'a value twice', expected: 'each value once' })
  return values
}

const labelOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Returns all combinations. The last axis changes fastest. */
function combinations(axes: readonly (readonly AxisValue[])[]): AxisValue[][] {
  return axes.reduce<AxisValue[][]>(
    (all, values) => all.flatMap((chosen) => values.map((value) => [...chosen, value])),
    [[]],
  )
}

const cellOf = (
  chosen: readonly AxisValue[],
  base: Readonly<Record<string, unknown>>,
): MatrixCell => ({
  labels: chosen.map(({ label }) => label),
  name: chosen.map(({ label }) => label).join(BETWEEN),
  settings: Object.assign(
    {},
    base,
    ...chosen.map(({ settings }) => settings),
  ) as MatrixCell['settings'],
})

import { Validator } from '@cfworker/json-schema'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { testGraders } from '../../../test/suite-folder.ts'
import { SUITE_TEMPLATE } from '../../cli/commands/init/init-templates.ts'
import { graders } from '../../grade/graders.ts'
import { suiteJsonSchema } from './json-schema.ts'
import { suiteSchema } from './schema.ts'

const schema = suiteJsonSchema(graders)
const validator = new Validator(schema, '7')
const isValid = (value: unknown): boolean => validator.validate(value).valid

const example = (): Record<string, unknown> =>
  JSON.parse(JSON.stringify(parseToml(SUITE_TEMPLATE))) as Record<string, unknown>
const suite = (changes: object, graded: object = { type: 'equals', value: 'x' }): object => ({
  id: 's',
  cases: [{ id: 'a', prompt: 'p', graders: [graded], ...changes }],
})

describe('the JSON Schema of suites', () => {
  it('takes the suite that `assay init` writes', () => {
    expect(validator.validate(example())).toEqual({ valid: true, errors: [] })
  })

  it.each([
    ['a blank id', { ...example(), id: '' }],
    ['an unknown key', { ...example(), nmae: 'x' }],
    ['no cases', { ...example(), cases: [] }],
    ['prompt and turns', suite({ turns: ['x'] })],
    ['a blank prompt', suite({ prompt: ' ' })],
    ['a threshold above 1', suite({ scoring: { threshold: 2 } })],
    ['no trials', suite({ trials: 0 })],
    ['a duration that is none', suite({ timeout: '3 days' })],
    ['an unknown grader', suite({}, { type: 'equal', value: 'x' })],
    ['an option of another grader', suite({}, { type: 'equals', value: 'x', pattern: 'y' })],
    ['a grader without its option', suite({}, { type: 'equals' })],
    ['a negative weight', suite({}, { type: 'equals', value: 'x', weight: -1 })],
  ])('refuses %s', (_, value) => {
    expect(isValid(JSON.parse(JSON.stringify(value)))).toBe(false)
  })

  it.each([
    ['a file', suite({ prompt: { file: 'p.md' } })],
    ['turns', { id: 's', cases: [{ id: 'a', turns: ['x', { file: 'y' }] }] }],
    ['a duration in seconds', suite({ timeout: 30 })],
    ['a duration in hours and minutes', suite({ timeout: '1h30m' })],
    [
      'common keys of graders',
      suite({}, { type: 'equals', value: 'x', name: 'n', weight: 0, negate: true }),
    ],
  ])('takes %s', (_, value) => {
    expect(isValid(value)).toBe(true)
  })

  it('describes every field', () => {
    expect(undescribed(schema, '')).toEqual([])
  })

  it('agrees with zod about what is required', () => {
    expect(schema['anyOf']).toEqual([{ required: ['cases'] }, { required: ['data', 'template'] }])
    expect(Object.keys(schema['properties'] as object)).toEqual(Object.keys(suiteSchema.shape))
  })

  it('is not taken by other graders than those it was made for', () => {
    const other = new Validator(suiteJsonSchema(testGraders), '7')
    expect(other.validate(suite({}, { type: 'hint' })).valid).toBe(true)
    expect(other.validate(suite({}, { type: 'json' })).valid).toBe(false)
  })
})

/** Returns the paths of properties that have no description. */
function undescribed(node: unknown, path: string): string[] {
  if (typeof node !== 'object' || node === null) return []
  const found: string[] = []
  for (const [key, value] of Object.entries(node)) {
    const here = `${path}/${key}`
    if (key === 'properties')
      for (const [name, field] of Object.entries(value as Record<string, object>))
        if (!('description' in field)) found.push(`${here}/${name}`)
    found.push(...undescribed(value, here))
  }
  return found
}

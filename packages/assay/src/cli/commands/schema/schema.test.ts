import { readFile } from 'node:fs/promises'
import { Validator } from '@cfworker/json-schema'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { SETTINGS_TEMPLATE } from '../init/init-templates.ts'
import { SCHEMAS } from './names.ts'
import { schemaText } from './schema.ts'

const isValid = async (of: 'settings' | 'gates', value: unknown): Promise<boolean> =>
  new Validator(JSON.parse(await schemaText({ of })) as object, '7').validate(value).valid

describe('the shipped schemas', () => {
  it.each(SCHEMAS)('%s is what the command prints; `npm run schema` writes it', async (of) => {
    const copy = new URL(`../../../../schemas/${of}.schema.json`, import.meta.url)
    expect(JSON.parse(await readFile(copy, 'utf8'))).toEqual(JSON.parse(await schemaText({ of })))
  })

  it('take what is right and refuse what is wrong', async () => {
    expect(await isValid('settings', JSON.parse(JSON.stringify(parse(SETTINGS_TEMPLATE))))).toBe(
      true,
    )
    expect(await isValid('settings', { modle: 'x' })).toBe(false)
    expect(await isValid('gates', { gates: [{ metric: 'passRate', min: 0.8 }] })).toBe(true)
    expect(await isValid('gates', { gates: [{ metric: 'passRte', min: 0.8 }] })).toBe(false)
  })
})

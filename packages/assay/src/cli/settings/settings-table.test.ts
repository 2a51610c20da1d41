/** The table of settings matches the schemas, the flags of `assay run` and the docs. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { experimentSchema } from '../../experiment/index.ts'
import { PLACES } from '../../run/index.ts'
import { caseFrameSchema, scoringSchema, suiteFrameSchema } from '../../suite/native/schema.ts'
import { settingsSchema } from './settings.ts'
import { SETTING_ROWS, settingsTable } from './settings-table.ts'

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const keysWith = (where: 'case' | 'suite', prefix = ''): string[] =>
  SETTING_ROWS.flatMap((row) => row[where] ?? [])
    .filter((key) => key.startsWith(prefix) && !key.includes('`'))
    .map((key) => key.slice(prefix.length))

describe('the table of settings', () => {
  it('has every setting of assay.toml and run files', () => {
    const {
      $schema: _,
      providers: __,
      subjects: ___,
      suites: ____,
      ...settings
    } = settingsSchema.shape
    const rows = SETTING_ROWS.flatMap(({ key, file }) => (file ? [key] : []))
    expect(rows.toSorted()).toEqual(Object.keys(settings).toSorted())
  })

  it('has what an experiment may say of them', () => {
    const keys = Object.keys(experimentSchema.shape)
    for (const { key, experiment } of SETTING_ROWS)
      expect([key, experiment]).toEqual([
        key,
        keys.find((one) => one === (experiment ?? key)) ?? null,
      ])
  })

  it('has what cases and suites may say of them', () => {
    const names = SETTING_ROWS.map(({ key }) => key)
    const among = (shape: object): string[] =>
      Object.keys(shape).filter((key) => names.includes(key))
    expect(keysWith('case').filter((key) => !key.includes('.'))).toEqual(
      expect.arrayContaining(among(caseFrameSchema.shape)),
    )
    expect(keysWith('suite', 'defaults.').toSorted()).toEqual(
      among(suiteFrameSchema.shape.defaults.unwrap().shape).toSorted(),
    )
    expect(keysWith('suite', 'scoring.')).toEqual(among(scoringSchema.shape))
    expect(keysWith('case', 'scoring.')).toEqual(among(scoringSchema.shape))
  })

  it('has flags that the command knows', () => {
    const main = read('../commands/run/flags.ts')
    const unknown = SETTING_ROWS.flatMap(({ flag }) => flag ?? []).filter(
      (flag) => !new RegExp(`'(?:-\\w, )?${flag} <`).test(main),
    )
    expect(unknown).toEqual([])
  })

  it('is the one in the docs, in the order of places', () => {
    expect(read('../../../../../docs/reference/running.md')).toContain(settingsTable().join('\n'))
    expect(PLACES).toEqual(['flag', 'record', 'file', 'case', 'suite', 'project', 'default'])
  })
})

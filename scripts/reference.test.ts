import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { referencePages } from './reference/pages.ts'

const folder = new URL('../docs/reference/', import.meta.url)
const pages = [...referencePages()]

it.each(pages)(
  'docs/reference/%s lists what the code has; `npm run docs` writes it',
  (file, text) => {
    expect(readFileSync(new URL(file, folder), 'utf8')).toBe(text)
  },
)

it('every page that says that it was written from the code is', () => {
  const written = readdirSync(folder).filter((name) =>
    readFileSync(new URL(name, folder), 'utf8').includes('written by `npm run docs`'),
  )
  expect(written.toSorted()).toEqual(pages.map(([name]) => name).toSorted())
})

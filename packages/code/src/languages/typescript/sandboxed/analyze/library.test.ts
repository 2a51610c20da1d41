import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { findTools } from '../../host/programs.ts'
import { joinLibrary, withoutComments } from './library.ts'
import { parse } from './syntax.ts'

const treeOf = (text: string): string =>
  JSON.stringify(parse('library.d.ts', text).program.body, (key, value: unknown) =>
    key === 'start' || key === 'end' || key === 'range' ? undefined : value,
  )

it('joins the declarations of the language, and without comments they declare the same', () => {
  const { names, text, version } = joinLibrary(dirname(findTools().checker))
  expect(version).toBe(findTools().versions.typescript)
  expect(names).toEqual(expect.arrayContaining(['esnext', 'es5', 'es2015.promise']))
  const bare = withoutComments(text)
  expect(bare.length).toBeLessThan(text.length / 3)
  expect(bare).toMatch(/^\/\/\/ <reference lib="/)
  expect(bare.replaceAll(/^\/\/\/ <reference.*$/gm, '')).not.toMatch(/\/\*\*/)
  expect(treeOf(bare)).toBe(treeOf(text))
})

it('leaves what only looks like a comment', () => {
  const text = `/** One. */\ninterface A {\n  // two\n  a: '/* no */' // three\n}\n`
  expect(withoutComments(text)).toBe(`interface A {\n  a: '/* no */' \n}\n`)
})

/**
 * Tests that phrases which have to be read twice do not return to what users read: docs, examples, help, messages and
 * descriptions of keys. Comments and names in code do not count.
 */
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Each phrase with what to write instead. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bbeside\b/u, 'next to, in addition to'],
  [/\bstands\b/u, 'is, appears, means'],
  [/\b(?:is|are) told\b/u, 'gets, is informed, says'],
  [/\bso many\b/u, 'that many'],
  [/\bwhoever\b/iu, 'the one who'],
  [/\bstrangers?\b/u, 'untrusted, from elsewhere'],
  [/\blets go of\b/u, 'drops'],
  [/\blikeness\b/u, 'similarity'],
  [/\b(?:is|are) laid\b|\blaid (?:in|out|over)\b/u, 'copied, added'],
  [/\bis no (?:UTF-8|JSON|TOML|run|number|folder|file)\b/u, 'is not valid, is not a'],
]

const files = (...patterns: readonly string[]): string[] =>
  execFileSync('git', ['ls-files', '--', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((name) => name !== '')

/** Phrases that are right after "there": "there is no run". */
const THERE = /\b[Tt]here (?:is|are) no\b/gu

function phrasesIn(text: string): string[] {
  const checked = text.replaceAll(THERE, '')
  return PHRASES.flatMap(([phrase, instead]) => {
    const [found] = phrase.exec(checked) ?? []
    return found === undefined ? [] : [`"${found}": write ${instead}`]
  })
}

it('docs and examples use plain words', () => {
  const found = files('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/*.md', 'examples/*.md')
    .map((name) => [name, readFileSync(join(root, name), 'utf8')] as const)
    .flatMap(([name, text]) =>
      text
        .split('\n')
        .flatMap((line, i) => phrasesIn(line).map((what) => `${name}:${i + 1} ${what}`)),
    )
  expect(found).toEqual([])
})

/** The texts of a program that have several words: what a user may read. */
function textsOf(name: string): string[] {
  const { program } = parseSync(name, readFileSync(join(root, name), 'utf8'))
  const texts: string[] = []
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') texts.push(value)
    },
    TemplateElement: ({ value }) => void texts.push(value.cooked ?? ''),
    JSXText: ({ value }) => void texts.push(value),
  }).visit(program)
  return texts.filter((text) => /\w \w/u.test(text))
}

it('help and messages use plain words', () => {
  const found = files('packages/*/src/*.ts', 'packages/*/src/*.tsx')
    .filter((name) => !/\.test\.tsx?$/u.test(name))
    .flatMap((name) =>
      textsOf(name).flatMap((text) =>
        phrasesIn(text).map((what) => `${name} ${what} in ${text.slice(0, 100)}`),
      ),
    )
  expect(found).toEqual([])
})

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { shellPath, shellWord } from './shell-word.ts'

it('shows what a reader would not see, such as a line break after a comment', () => {
  expect(shellWord('# tidy up\nrm -rf ~')).toBe(`$'# tidy up\\nrm -rf ~'`)
  expect(shellWord('a\u202eb\u200bc\u00a0d\u3164\u001b[2K')).toBe(
    `$'a\\u202eb\\u200bc\\u00a0d\\u3164\\u001b[2K'`,
  )
  expect(shellWord("it's plain, naïve 日本")).toBe(`'it'\\''s plain, naïve 日本'`)
})

it('quotes words that are empty, or that a shell expands', () => {
  for (const word of ['', '~', '=ls', '*', '$(id)', '`id`', 'a;b', '!!', '{a,b}', '#x', 'a&b'])
    expect(shellWord(word)).toBe(`'${word}'`)
})

it('keeps a path that begins with a dash from being a flag', () => {
  expect(shellPath('--config=x.toml')).toBe('./--config=x.toml')
  expect(shellPath('-a b')).toBe(`'./-a b'`)
  expect(shellPath('a-b')).toBe('a-b')
})

it.skipIf(!existsSync('/bin/bash'))('is read by bash as the same word', () => {
  for (const word of [
    "a\n'b\\",
    '\t\u202e😀\u{e0001}',
    'x y',
    '\\n',
    '$HOME `id`\u2028',
    '=ls',
    '',
  ])
    expect(
      execFileSync('/bin/bash', ['-c', `printf %s ${shellWord(word)}`], {
        encoding: 'utf8',
        env: { LC_ALL: 'C.UTF-8' },
      }),
    ).toBe(word)
})

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { quoted, shownWords } from './shell-words.ts'

it('shows what a reader would not see, such as a line break after a comment', () => {
  expect(shownWords(['sh', '-c', '# tidy up\nrm -rf ~'])).toBe(`sh -c $'# tidy up\\nrm -rf ~'`)
  expect(quoted('a\u202eb\u200bc\u00a0d\u3164\u001b[2K')).toBe(
    `$'a\\u202eb\\u200bc\\u00a0d\\u3164\\u001b[2K'`,
  )
  expect(quoted("it's plain, naïve 日本")).toBe(`'it'\\''s plain, naïve 日本'`)
})

it.skipIf(!existsSync('/bin/bash'))('is read by bash as the same word', () => {
  for (const word of ["a\n'b\\", '\t\u202e😀\u{e0001}', 'x y', '\\n', '$HOME `id`\u2028'])
    expect(
      execFileSync('/bin/bash', ['-c', `printf %s ${quoted(word)}`], {
        encoding: 'utf8',
        env: { LC_ALL: 'C.UTF-8' },
      }),
    ).toBe(word)
})

import { describe, expect, it } from 'vitest'
import { splitCommand } from './argv.ts'

describe('splitCommand', () => {
  it.each([
    ['node solve.js', ['node', 'solve.js']],
    ['  a   b\tc\n', ['a', 'b', 'c']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    [`a 'it''s'"x"y`, ['a', 'itsxy']],
    [`a "say \\"hi\\" \\\\ \\n"`, ['a', 'say "hi" \\ \\n']],
    [`a 'no \\ escape'`, ['a', 'no \\ escape']],
    ['a b\\ c \\"', ['a', 'b c', '"']],
    [`a '' ""`, ['a', '', '']],
    ['a --x={prompt}', ['a', '--x={prompt}']],
    [`sh -c 'a | b > c'`, ['sh', '-c', 'a | b > c']],
    ['echo $HOME *.js a|b', ['echo', '$HOME', '*.js', 'a|b']],
  ])('%j', (line, words) => {
    expect(splitCommand(line)).toEqual(words)
  })

  it.each([
    ['', 'the command is empty'],
    ['  ', 'the command is empty'],
    [`a 'b`, "has a ' that is not closed"],
    ['a "b\\"', 'has a " that is not closed'],
    ['a \\', 'ends in a backslash'],
    ['cat x | sort', 'is for a shell, and none is used'],
    ['a && b', 'is for a shell'],
    ['a > b', 'is for a shell'],
  ])('refuses %j', (line, message) => {
    expect(() => splitCommand(line)).toThrow(message)
  })
})

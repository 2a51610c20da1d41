import { expect, it } from 'vitest'
import { secondsLeft } from './remaining.ts'

it('the time left follows from the speed of the last minute', () => {
  expect(secondsLeft([], 100)).toBeNull()
  expect(secondsLeft([{ at: 0, done: 10 }], 100)).toBeNull()
  const steady = [0, 10, 20].map((at) => ({ at, done: at * 2 }))
  expect(secondsLeft(steady, 100)).toBe(30)
  // A fast start more than a minute ago does not count.
  expect(
    secondsLeft(
      [
        { at: 0, done: 0 },
        { at: 100, done: 1000 },
        { at: 150, done: 1050 },
      ],
      1100,
    ),
  ).toBe(50)
  expect(
    secondsLeft(
      [
        { at: 0, done: 5 },
        { at: 1, done: 9 },
      ],
      10,
    ),
  ).toBeNull()
})

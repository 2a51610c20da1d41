import { describe, expect, it } from 'vitest'
import { contentOf, hasContent } from './content.ts'

const HOLE: unknown[] = []
HOLE[1] = 2

describe('what the other side was told of an object', () => {
  it.each<[string, () => object, (object: never) => void]>([
    ['an item', () => [1, 2], (a: number[]) => (a[1] = 3)],
    ['the order', () => [1, 2], (a: number[]) => a.reverse()],
    ['the length', () => [1], (a: number[]) => a.push(1)],
    ['-0 for 0', () => [0], (a: number[]) => (a[0] = -0)],
    ['a hole for undefined', () => [undefined, 2], (a: number[]) => Reflect.deleteProperty(a, 0)],
    ['a name in an array', () => [1], (a: number[]) => Object.assign(a, { name: 1 })],
    ['a value', () => ({ a: 1 }), (o: { a: number }) => (o.a = 2)],
    ['a key', () => ({ a: 1 }), (o: object) => Object.assign(o, { b: 2 })],
    [
      'one key for another',
      () => ({ a: 1 }),
      (o: { a?: number; b?: number }) => {
        delete o.a
        o.b = 1
      },
    ],
    ['a symbol', () => ({}), (o: object) => Object.assign(o, { [Symbol.iterator]: 1 })],
    ['undefined for nothing', () => ({}), (o: object) => Object.assign(o, { a: undefined })],
    ['freezing', () => ({ a: 1 }), (o: object) => Object.freeze(o)],
  ])('is not true any more after a change: %s', (_, make, change) => {
    const object = make()
    const content = contentOf(object)
    if (content === null) throw new Error('it has no content')
    expect(hasContent(object, content)).toBe(true)
    change(object as never)
    expect(hasContent(object, content)).toBe(false)
  })

  it('stays true of parts that are the same objects, and of NaN', () => {
    const inner = [1]
    for (const object of [[inner, Number.NaN], { inner, no: Number.NaN }, HOLE]) {
      const content = contentOf(object)
      inner.push(2)
      expect(content !== null && hasContent(object, content)).toBe(true)
    }
  })

  it('is not looked at part by part for other kinds', () => {
    expect([new Map(), new Set(), new Date(), /x/].map(contentOf)).toEqual([null, null, null, null])
  })
})

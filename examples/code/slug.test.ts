import { describe, expect, test } from 'vitest'
import { slug } from './slug.ts'

describe('slug', () => {
  test.each([
    ['Hello World', 'hello-world'],
    ['  What -- now? ', 'what-now'],
    ['Rust 2024', 'rust-2024'],
    ['!!!', ''],
  ])('%s', (title, expected) => {
    expect(slug(title)).toBe(expected)
  })
})

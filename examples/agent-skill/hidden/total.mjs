import assert from 'node:assert/strict'
import { total } from './src/total.mjs'

assert.equal(total([]), 0)
assert.equal(total([{ price: 1999, count: 3 }]), 5997)
assert.equal(
  total([
    { price: 10, count: 1 },
    { price: 20, count: 1 },
  ]),
  30,
)
assert.equal(total([{ price: 1, count: 1_000_003 }]), 1_000_003)

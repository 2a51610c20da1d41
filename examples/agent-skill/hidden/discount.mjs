import assert from 'node:assert/strict'
import { discount } from './src/discount.mjs'

assert.equal(discount(1000, 10), 900)
assert.equal(discount(995, 10), 896)
assert.equal(discount(5, 50), 3)
assert.equal(discount(-5, 50), -3)

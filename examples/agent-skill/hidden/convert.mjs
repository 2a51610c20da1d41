import assert from 'node:assert/strict'
import { convert } from './src/convert.mjs'

assert.equal(convert(1000, 1.1, 'EUR', 'USD'), 1100)
assert.equal(convert(1000, 160, 'EUR', 'JPY'), 1600)
assert.equal(convert(1600, 0.00625, 'JPY', 'EUR'), 1000)

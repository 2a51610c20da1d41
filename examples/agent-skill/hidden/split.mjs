import assert from 'node:assert/strict'
import { split } from './src/split.mjs'

assert.deepEqual(split(900, 3), [300, 300, 300])
assert.deepEqual(split(1000, 3), [334, 333, 333])
assert.deepEqual(split(2, 3), [1, 1, 0])

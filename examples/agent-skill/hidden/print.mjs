import assert from 'node:assert/strict'
import { print } from './src/print.mjs'

assert.equal(print(1999, 'EUR'), '19.99 EUR')
assert.equal(print(5, 'USD'), '0.05 USD')
assert.equal(print(1999, 'JPY'), '1999 JPY')
assert.equal(print(9007199254740991, 'EUR'), '90071992547409.91 EUR')

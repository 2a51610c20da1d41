/** Runs every command that prints, with its output closed. See closed-output.test.ts. */
import { describe } from 'vitest'
import { closingChangesNothing, COMMANDS } from './closed-output.ts'

describe('a reader that closes the stream', () => {
  closingChangesNothing(COMMANDS)
})

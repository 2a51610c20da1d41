/** Tests every way in which a folder can name a program. See trust.test.ts. */
import { describe } from 'vitest'
import { startsOnlyWithTrust, WAYS } from './trust-ways.ts'
import { untrustedFolder } from './untrusted-folder.ts'

const evil = untrustedFolder()

describe('before a folder is trusted it does not start', () => {
  for (const name of Object.keys(WAYS)) startsOnlyWithTrust(name, evil)
})

/**
 * The folder that replaces the user's configuration in tests that do not make their own. It does not exist before a
 * test run and is removed after it. So tests never use the configuration of this machine's user. Vitest calls the
 * default export before the tests, and the function that it returns after them.
 */
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const noConfiguration = join(tmpdir(), `assay-no-config-${process.pid}`)

export default () => () => rm(noConfiguration, { recursive: true, force: true })

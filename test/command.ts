/** The built command, and what it gets of the tester's environment. */
import { fileURLToPath } from 'node:url'

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const command = at('packages/assay/bin/assay.js')

/**
 * Of the tester's variables only these, so no key and no setting. The tests start the command hundreds of times: Node
 * keeps the compiled code, which makes a start about a tenth cheaper.
 */
export const machine = (): NodeJS.ProcessEnv => {
  const { HOME, PATH } = process.env
  return { HOME, PATH, NODE_COMPILE_CACHE: at('node_modules/.cache/assay-command') }
}

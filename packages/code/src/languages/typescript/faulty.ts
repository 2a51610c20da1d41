/** Generates JavaScript and TypeScript programs that define the required names but do nothing correctly. */
import type { Language } from '../../language.ts'

const BODIES = {
  'returns nothing': 'return undefined',
  constant: 'return 0',
  exception: "throw new Error('not done')",
}

export const faultyScript =
  (isTyped: boolean): Language['faulty'] =>
  (deed, definitions) => {
    if (deed === 'empty') return 'export {}\n'
    const any = isTyped ? ': any' : ''
    const rest = isTyped ? '..._: any[]' : '..._'
    const body = BODIES[deed]
    return definitions
      .map(({ name, kind }) => {
        const exported = name === 'default' ? 'export default' : 'export'
        const named = name === 'default' ? 'made' : name
        if (kind === 'value')
          return `export const ${named}${any} = ${deed === 'constant' ? '0' : 'undefined'}\n`
        if (kind === 'function') return `${exported} function ${named}(${rest})${any} { ${body} }\n`
        return `${exported} class ${named} { constructor(${rest}) { return new Proxy(this, { get: () => () => { ${body} } }) } }\n`
      })
      .join('')
  }

/** Makes faulty variants of a solution: Python programs that define the required names but return wrong results. */
import type { Language } from '../../language.ts'

const BODIES = {
  'returns nothing': 'return None',
  constant: 'return 0',
  exception: "raise RuntimeError('not done')",
}

export const faulty: Language['faulty'] = (deed, definitions) => {
  if (deed === 'empty') return 'pass\n'
  const body = BODIES[deed]
  return definitions
    .map(({ name, kind }) => {
      if (kind === 'value') return `${name} = ${deed === 'constant' ? '0' : 'None'}\n`
      if (kind === 'function') return `def ${name}(*args, **named):\n    ${body}\n`
      return `class ${name}:\n    def __init__(self, *args, **named):\n        pass\n\n    def __getattr__(self, name):\n        def method(*args, **named):\n            ${body}\n\n        return method\n`
    })
    .join('\n\n')
}

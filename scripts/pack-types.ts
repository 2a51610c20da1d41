/**
 * Rewrites the `.d.ts` files of a package that is being packed, so that they need no @types/node: a project without it
 * can then check its types. Types of Node are replaced by wider types that every project has. It works in the folder
 * that is given as an argument, or in the working directory. Afterwards, `postpack` builds the package again.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const WIDER: readonly (readonly [RegExp, string])[] = [
  [/\bBuffer(?:<[^<>]*>)?(?=[^\w'])/g, 'Uint8Array'],
  [/\bNodeJS\.ProcessEnv\b/g, 'Record<string, string | undefined>'],
  [/\bNodeJS\.Signals\b/g, 'string'],
  [/\bNodeJS\.(?:Timeout|Process|ErrnoException)\b/g, 'any'],
]
const IMPORT = /^import (?:type )?(?:\{([^}]*)\}|(\w+)) from 'node:[\w/]+';?$/gm
const INLINE = /\bimport\(["']node:[\w/]+["']\)(?:\.\w+)+/g

/**
 * Returns declarations that replace an import from a module of Node. Its types have no wider type in every project, so
 * they become `any`.
 */
function declared(text: string, list: string | undefined, whole: string): string {
  if (list === undefined) {
    const used = text.matchAll(new RegExp(`\\b${whole}\\.(\\w+)`, 'g'))
    const types = [...new Set([...used].map(([, name]) => `type ${name} = any;`))]
    return `declare namespace ${whole} { ${types.join(' ')} }`
  }
  return list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => `type ${name} = any;`)
    .join('\n')
}

function rewritten(text: string): string {
  const imported = text
    .replaceAll(IMPORT, (_, list, whole) =>
      declared(text, list as string | undefined, whole as string),
    )
    .replaceAll(INLINE, 'any')
  return WIDER.reduce((changed, [name, wider]) => changed.replaceAll(name, wider), imported)
}

const dist = join(process.argv[2] ?? '.', 'dist')
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.d.ts')) continue
  const text = readFileSync(join(dist, file), 'utf8')
  const changed = rewritten(text)
  const left = /\bNodeJS\.\w+|from 'node:[^']+'/.exec(changed)
  if (left !== null) throw new Error(`${file}: ${left[0]} needs @types/node`)
  if (changed !== text) writeFileSync(join(dist, file), changed)
}

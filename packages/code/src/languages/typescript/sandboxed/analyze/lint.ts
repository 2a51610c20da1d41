/**
 * The linter. It is oxlint's native library, called in this process: a call takes a millisecond, while starting the
 * oxlint command takes seventy. The library reads files from the scratch folder and prints its findings to standard
 * output, which is redirected to a file there. The rules are fixed in this file. They report likely mistakes and
 * ignore style.
 */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Diagnostic } from '../../../../language.ts'

/** The configuration for oxlint. */
export const RULES = {
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'promise'],
  categories: { correctness: 'warn' },
  env: { es2024: true, node: true },
  rules: {
    // From the category `suspicious`, only rules that very rarely report correct code.
    'eslint/block-scoped-var': 'warn',
    'eslint/no-new': 'warn',
    'eslint/no-unneeded-ternary': 'warn',
    'eslint/no-useless-concat': 'warn',
    'eslint/no-useless-constructor': 'warn',
    'eslint/no-unexpected-multiline': 'warn',
    'eslint/no-extend-native': 'warn',
    'eslint/no-var': 'warn',
    'eslint/eqeqeq': ['warn', 'always', { null: 'ignore' }],
    'typescript/no-confusing-non-null-assertion': 'warn',
    'typescript/no-explicit-any': 'warn',
    'typescript/no-extraneous-class': 'off',
    'oxc/approx-constant': 'warn',
    'oxc/misrefactored-assign-op': 'warn',
    'promise/no-multiple-resolved': 'warn',
    // These rules are off, because they are about style or about whole projects.
    'unicorn/no-thenable': 'off',
    'unicorn/no-new-array': 'off',
    'unicorn/prefer-string-starts-ends-with': 'off',
    'unicorn/no-single-promise-in-promise-methods': 'off',
    'eslint/no-unused-vars': [
      'warn',
      { args: 'none', caughtErrors: 'none', ignoreRestSiblings: true },
    ],
  },
} as const

type Lint = (
  args: string[],
  ...callbacks: ((...args: unknown[]) => Promise<unknown>)[]
) => Promise<boolean>

interface Found {
  readonly message: string
  readonly code?: string
  readonly filename: string
  readonly labels: readonly { readonly span: { readonly line: number; readonly column: number } }[]
}

export interface Linter {
  lint(files: ReadonlyMap<string, string>): Promise<Diagnostic[]>
}

export function startLinter(binding: string, scratch: string): Linter {
  const { lint } = createRequire(import.meta.url)(binding) as { lint: Lint }
  const config = join(scratch, 'oxlint.json')
  const output = join(scratch, 'oxlint.out')
  const folder = join(scratch, 'lint')
  writeFileSync(config, JSON.stringify(RULES))
  // Redirect standard output to a file. `open` always returns the lowest free descriptor. After descriptor 1 is
  // closed, that is 1.
  closeSync(1)
  if (openSync(output, 'a+') !== 1) throw new Error('standard output could not be taken')
  const nothing = (): Promise<null> => Promise.resolve(null)
  return {
    async lint(files) {
      ftruncateSync(1)
      mkdirSync(folder)
      try {
        const paths: string[] = []
        for (const [path, source] of files) {
          const place = join(folder, path)
          if (path.includes('/')) mkdirSync(dirname(place), { recursive: true })
          writeFileSync(place, source)
          paths.push(place)
        }
        await lint(
          ['-f', 'json', '-c', config, '--disable-nested-config', '--threads=1', ...paths],
          ...Array.from({ length: 6 }, () => nothing),
        )
        const text = readFileSync(output, 'utf8')
        const { diagnostics } = JSON.parse(text) as { diagnostics: readonly Found[] }
        return diagnostics.map(({ message, code, filename, labels }) => ({
          file: relative(filename, folder, scratch),
          line: labels[0]?.span.line ?? 1,
          column: labels[0]?.span.column ?? 1,
          code: code ?? null,
          message,
        }))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

const relative = (path: string, folder: string, scratch: string): string => {
  for (const base of [`${folder}/`, `${folder.slice(scratch.length + 1)}/`])
    if (path.startsWith(base)) return path.slice(base.length)
  return path
}

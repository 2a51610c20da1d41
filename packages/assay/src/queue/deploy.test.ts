/**
 * The compose file is checked against the Compose specification's own schema. Kubernetes publishes its schemas without
 * saying that other keys are wrong, so a misspelt key would pass. The manifests are therefore checked against the types
 * that are generated from those schemas: the compiler refuses unknown keys, missing ones and wrong values.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator, type Schema } from '@cfworker/json-schema'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const COMPOSE =
  'schemastore/schemas/json/raw.githubusercontent.com/compose-spec/compose-spec/master/schema/compose-spec.json'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

const TYPES: Readonly<Record<string, string>> = {
  'v1 Service': 'core/v1',
  'v1 PersistentVolumeClaim': 'core/v1',
  'apps/v1 StatefulSet': 'apps/v1',
  'apps/v1 Deployment': 'apps/v1',
  'batch/v1 Job': 'batch/v1',
  'networking.k8s.io/v1 NetworkPolicy': 'networking/v1',
}

const manifests = (): Manifest[] =>
  readdirSync(at('deploy/kubernetes')).flatMap((name) =>
    parseAllDocuments(readFileSync(at(`deploy/kubernetes/${name}`), 'utf8')).map((document) => {
      expect(document.errors).toEqual([])
      return document.toJS() as Manifest
    }),
  )

/** Returns what the compiler says about the manifests. */
function typeErrors(list: readonly Manifest[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-deploy-'))
  try {
    const lines = list.map(({ apiVersion, kind, ...rest }, index) => {
      const from = TYPES[`${apiVersion} ${kind}`]
      if (from === undefined) throw new Error(`no type for ${apiVersion} ${kind}`)
      const value = JSON.stringify({ apiVersion, kind, ...rest })
      return `import type { ${kind} as T${index} } from 'kubernetes-types/${from}'\nexport const m${index}: T${index} = ${value}`
    })
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
    const paths = { 'kubernetes-types/*': [at('node_modules/kubernetes-types/*')] }
    const options = { noEmit: true, strict: true, module: 'nodenext', types: [], paths }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['manifests.ts'] }),
    )
    const words = [at('node_modules/typescript/bin/tsc'), '-p', folder]
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    return `${stdout}${stderr}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it('has a compose file that fits the Compose specification', () => {
  const text = readFileSync(fileURLToPath(import.meta.resolve(COMPOSE)), 'utf8')
  // A duration of the specification is 30s. The validator would expect PT30S, which JSON Schema means by that format.
  const pattern = String.raw`"pattern": "^(\\d+(us|ms|s|m|h))+$"`
  const schema = JSON.parse(text.replaceAll(/"format": *"duration"/gu, () => pattern)) as Schema
  const validator = new Validator(schema, '2019-09')
  const source = readFileSync(at('deploy/compose.yaml'), 'utf8')
  const compose = parse(source) as object
  expect(validator.validate(compose).errors).toEqual([])
  expect(validator.validate(parse(source.replace('45s', '45 seconds')) as object).valid).toBe(false)
  expect(validator.validate({ ...compose, servces: {} }).valid).toBe(false)
})

it('has manifests that fit Kubernetes, without unknown keys', () => {
  const list = manifests()
  expect(list).toHaveLength(6)
  expect(typeErrors(list)).toBe('')
  const wrong = JSON.parse(JSON.stringify(list).replace('"replicas"', '"replica"')) as Manifest[]
  expect(typeErrors(wrong)).toContain('replica')
})

it('uses flags of the worker that exist', () => {
  const declared = readFileSync(at('packages/assay/src/cli/commands/worker/flags.ts'), 'utf8')
  const texts = ['deploy/compose.yaml', 'deploy/kubernetes/workers.yaml'].map((path) =>
    readFileSync(at(path), 'utf8'),
  )
  const flags = texts.flatMap((text) =>
    [
      ...text.matchAll(/^ +- (--(?:drain|health|health-host|store|answering|grading|project))$/gmu),
    ].map(([, flag]) => flag),
  )
  expect(flags.length).toBeGreaterThan(5)
  for (const flag of flags) expect(declared).toContain(`'${flag} `)
})

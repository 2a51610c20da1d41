/** Packs all published packages, each in a copy, because packing changes `dist`, which other tests read. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const root = new URL('..', import.meta.url).pathname
const NAMES = ['metrics', 'contract', 'sandbox', 'code', 'assay']

export interface Packed {
  readonly tarballs: readonly string[]
  /** The copy of a package that was packed. */
  readonly source: (name: string) => string
}

/** Writes the tarballs into the folder, by the packages' own steps. */
export async function packAll(folder: string): Promise<Packed> {
  const source = (name: string): string => join(folder, 'sources', name)
  for (const name of NAMES) {
    await cp(join(root, 'packages', name), source(name), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|compiled|golden|oracle|test)(?:\/|$)/.test(path),
    })
    const steps =
      name === 'metrics'
        ? join(root, 'packages/metrics/pack.ts')
        : join(root, 'scripts/pack-types.ts')
    await execute(process.execPath, [steps, source(name)])
  }
  await cp(join(root, 'suites'), join(source('assay'), 'suites'), { recursive: true })
  const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]
  await execute('npm', [...words, ...NAMES.map((name) => `./sources/${name}`)], { cwd: folder })
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  return { tarballs: tarballs.map((name) => join(folder, name)), source }
}

/** Unpacks the tarballs into a project, as npm would, with the other packages of this repository. Needs no network. */
export async function installPacked({ tarballs }: Packed, project: string): Promise<void> {
  const modules = join(project, 'node_modules')
  for (const tarball of tarballs) {
    const name = /assay-(metrics|contract|sandbox|code)-/.exec(tarball)?.[1]
    const place = name === undefined ? join(modules, 'assay') : join(modules, '@assay', name)
    await mkdir(place, { recursive: true })
    await execute('tar', ['-xzf', tarball, '-C', place, '--strip-components=1'])
    const { dependencies = {} } = JSON.parse(
      await readFile(join(place, 'package.json'), 'utf8'),
    ) as { readonly dependencies?: Readonly<Record<string, string>> }
    for (const other of Object.keys(dependencies)) {
      if (other.startsWith('@assay/')) continue
      const link = join(modules, other)
      await mkdir(dirname(link), { recursive: true })
      await symlink(join(root, 'node_modules', other), link).catch((error: unknown) => {
        if ((error as { code?: unknown }).code !== 'EEXIST') throw error
      })
    }
  }
}

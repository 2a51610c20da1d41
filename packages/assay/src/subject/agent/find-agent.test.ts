import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { UsageError } from '@assay/contract'
import { findAgent } from './find-agent.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'find-agent-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function file(path: string, text: string, mode = 0o755): string {
  const place = join(root, path)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, text)
  chmodSync(place, mode)
  return place
}

const find = (program: string, path = '') => findAgent({ id: 'agent', program }, path)

describe('an agent’s program', () => {
  it('is found on the PATH as it really is, with the node_modules that holds it and a Node', () => {
    const script = file(
      'npm/lib/node_modules/@x/cli/node_modules/.y/cli.js',
      '#!/usr/bin/env node\n',
    )
    const node = file('npm/bin/node', 'binary')
    symlinkSync(script, join(root, 'npm/bin/clever'))
    expect(find('clever', join(root, 'npm/bin'))).toEqual({
      argv: [node, script],
      reads: [join(root, 'npm/lib/node_modules'), join(root, 'npm')],
    })
  })

  it('is a binary with the folder it lies in', () => {
    const binary = file('versions/2.1.0', '\x7fELF')
    mkdirSync(join(root, 'bin'))
    symlinkSync(binary, join(root, 'bin/clever'))
    const found = { argv: [binary], reads: [join(root, 'versions')] }
    expect(find('clever', [join(root, 'none'), join(root, 'bin')].join(delimiter))).toEqual(found)
    expect(find(join(root, 'bin/clever'))).toEqual(found)
    const alone = findAgent({ id: 'a', program: binary, isAlone: true }, '')
    expect(alone.reads).toEqual([binary])
  })

  it('is shown alone where it lies among all that the user has', () => {
    const home = process.env['HOME']
    process.env['HOME'] = join(root, 'home/user')
    try {
      for (const path of ['home/user/clever', 'home/clever']) {
        const place = file(path, 'binary')
        expect(find(place).reads).toEqual([place])
      }
      const node = file('home/user/bin/node', 'binary')
      expect(find(node).reads).toEqual([node])
    } finally {
      process.env['HOME'] = home
    }
    expect(find('/bin/sh').reads).toEqual([])
  })

  it('is the next one on the PATH where the first is a shim of a version manager', () => {
    const shims = ['.pyenv/shims', '.rbenv/shims', '.asdf/shims', '.volta/bin', 'share/mise/shims']
    for (const folder of shims) {
      const shim = file(`shims/${folder}/clever`, '#!/bin/sh\n')
      const real = file('real/clever', 'binary')
      const paths = [dirname(shim), dirname(real)]
      expect(find('clever', paths.join(delimiter)).argv).toEqual([real])
      const manager = /pyenv|rbenv|asdf|volta|mise/.exec(folder)?.[0]
      const said = `agent: ${shim} is a shim of ${manager}, which cannot run in a workspace; give the real program`
      expect(() => find('clever', dirname(shim))).toThrow(said)
      expect(() => find(shim)).toThrow(`${said} (${manager} which clever)`)
    }
    const link = join(root, 'links')
    mkdirSync(link)
    symlinkSync(join(root, 'shims/.pyenv/shims/clever'), join(link, 'clever'))
    expect(() => find('clever', link)).toThrow('is a shim of pyenv')
    const own = file('shims/.volta/tools/clever', 'binary')
    expect(find(own).argv).toEqual([own])
  })

  it('is started with a Node that is none of a version manager’s shims', () => {
    const script = file('scripts/clever', '#!/usr/bin/env node\n')
    const shim = file('nodes/.asdf/shims/node', '#!/bin/sh\n')
    const node = file('nodes/bin/node', 'binary')
    const path = [dirname(shim), dirname(node)].join(delimiter)
    expect(find(script, path).argv).toEqual([node, script])
  })

  it('is missing with a word on how to get it', () => {
    const missing = (program: string) => () =>
      findAgent({ id: 'my agent', program, install: 'npm install -g clever' }, join(root, 'none'))
    expect(missing('no-such-agent')).toThrow(UsageError)
    expect(missing('no-such-agent')).toThrow(
      'my agent: there is no program "no-such-agent" on the PATH. Install it (npm install -g clever), or say where it is: program = "…" of the subject in assay.toml',
    )
    const plain = file('plain.txt', 'text', 0o644)
    expect(missing(plain)).toThrow(`there is no program at ${plain}`)
    expect(missing(root)).toThrow('there is no program at')
  })
})

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
import { UsageError } from '../../errors.ts'
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

  it('is missing with a word on how to get it', () => {
    const missing = (program: string) => () =>
      findAgent({ id: 'my agent', program, install: 'npm install -g clever' }, join(root, 'none'))
    expect(missing('no-such-agent')).toThrow(UsageError)
    expect(missing('no-such-agent')).toThrow(
      'my agent: there is no program "no-such-agent" on the PATH. Install it (npm install -g clever), or say where it is',
    )
    const plain = file('plain.txt', 'text', 0o644)
    expect(missing(plain)).toThrow(`there is no program at ${plain}`)
    expect(missing(root)).toThrow('there is no program at')
  })
})

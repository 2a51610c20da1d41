import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeFrame, encodeFrame, FrameReader } from '../../../frames.ts'
import { compiledName } from './lint.ts'

const built = join(import.meta.dirname, '../../../../dist/languages/python/sandboxed')
const compiled = join(built, compiledName() ?? 'none')

const FILES = {
  'a.py':
    'import os\nx = 1\nif x == None: pass\ndef f():\n    y = 2\n    return undefined  # noqa\n',
  'b.py': 'from typing import *\nclass A:\n  def f(self): return f"x"\n',
  'c.py': 'def broken(:\n',
}

/** What ruff finds in the files, with these arguments after the path of its package. */
async function found(...more: string[]): Promise<unknown> {
  const ruff = createRequire(import.meta.url).resolve('@astral-sh/ruff-wasm-nodejs')
  const child = spawn(process.execPath, [join(built, 'ruff.js'), ruff, ...more], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const pipe = child.stdio[3] as Duplex
  const reader = new FrameReader()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    return await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`ended with ${code}`)))
      pipe.on('data', (chunk: Buffer) => {
        reader.push(chunk)
        for (let frame = reader.take(); frame !== null; frame = reader.take()) {
          const message = decodeFrame(frame)
          if (message !== 'ready') resolve(message)
          else pipe.write(encodeFrame({ files: FILES, target: 'py311' }))
        }
      })
    })
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

describe.skipIf(!existsSync(compiled))('ruff as the build compiled it', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-ruff-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('finds the same as ruff that is compiled when it runs', async () => {
    const plain = await found()
    expect(plain).toContainEqual(expect.objectContaining({ file: 'a.py', code: 'F821', line: 6 }))
    expect(plain).toContainEqual(expect.objectContaining({ file: 'a.py', code: 'silenced' }))
    expect(await found(compiled)).toEqual(plain)
  })

  it('is left unused if it is damaged, of another version, or gone', async () => {
    const plain = await found()
    const bytes = readFileSync(compiled)
    const [cut, other] = [join(folder, 'cut'), join(folder, 'other')]
    writeFileSync(cut, bytes.subarray(0, 100))
    copyFileSync(compiled, other)
    // The version of V8 is at the beginning.
    writeFileSync(other, Buffer.concat([Buffer.alloc(16, 7), bytes.subarray(16)]))
    for (const file of [cut, other, join(folder, 'none')]) expect(await found(file)).toEqual(plain)
  })
})

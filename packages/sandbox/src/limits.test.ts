import { expect, it } from 'vitest'
import { limitArguments, parseCeilings } from './limits.ts'
import type { Limits } from './sandbox.ts'

const LIMITS: Limits = {
  cpuMs: 1500,
  wallMs: null,
  memoryBytes: 1000,
  addressBytes: null,
  processes: 9,
  fileBytes: 300,
  openFiles: 40,
}

const TABLE = `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max stack size            8388608              unlimited            bytes
Max core file size        0                    0                    bytes
Max open files            20                   30                   files
`

it('rounds processor time up to whole seconds', () => {
  expect(limitArguments(LIMITS, new Map(), true)).toContain('--cpu=2:3')
  expect(limitArguments({ ...LIMITS, cpuMs: 1 }, new Map(), true)).toContain('--cpu=1:2')
})

it('never asks for more than this process may have itself', () => {
  const args = limitArguments(LIMITS, parseCeilings(TABLE), true)
  expect(args).toContain('--nofile=30:30')
  expect(args).toContain('--core=0:0')
  expect(args).toContain('--fsize=300:300')
})

it('limits the address space and the number of processes only where that is wanted', () => {
  const plain = limitArguments(LIMITS, new Map(), false).join(' ')
  expect(plain).not.toContain('--as')
  expect(plain).not.toContain('--nproc')
  const all = limitArguments({ ...LIMITS, addressBytes: 5000 }, new Map(), true)
  expect(all).toContain('--as=5000:5000')
  expect(all).toContain('--nproc=9:9')
})

it('leaves unlimited what has no end, but for what this process may have itself', () => {
  const endless: Limits = {
    ...LIMITS,
    cpuMs: Number.POSITIVE_INFINITY,
    memoryBytes: Number.POSITIVE_INFINITY,
    fileBytes: Number.POSITIVE_INFINITY,
    openFiles: Number.POSITIVE_INFINITY,
  }
  const args = limitArguments(endless, parseCeilings(TABLE), true)
  for (const resource of ['cpu', 'data', 'fsize'])
    expect(args).toContain(`--${resource}=unlimited:unlimited`)
  expect(args).toContain('--nofile=30:30')
})

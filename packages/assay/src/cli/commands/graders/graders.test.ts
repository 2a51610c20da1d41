import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { UsageError } from '@assay/contract'
import { graders } from '../../../grade/index.ts'
import { gradersCommand, type GradersOptions } from './graders.ts'

async function printed(options: GradersOptions, width = 100): Promise<string> {
  let out = ''
  const colors = pico.createColors(false)
  expect(await gradersCommand(options, { out: (text) => (out += text), colors, width })).toBe(0)
  return out
}

interface Told {
  readonly graders: readonly {
    readonly type: string
    readonly options: readonly { readonly name: string; readonly description: string }[]
  }[]
  readonly common: readonly { readonly name: string }[]
}

describe('assay graders', () => {
  it('lists all of them, within the width', async () => {
    const lines = (await printed({}, 60)).split('\n')
    for (const { type } of graders)
      expect(lines.some((line) => line.startsWith(`${type} `))).toBe(true)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
  })

  it('shows the options of one with type, default and meaning', async () => {
    const text = await printed({ type: 'numeric' })
    expect(text).toContain('  value  number, required\n      The number that is right.\n')
    expect(text).toContain('  tolerance  number, default 0\n')
    expect(text).toContain('  find  last | first | whole\n')
    expect(text).toContain('  negate  true or false\n')
    expect(await printed({ type: 'program' })).toContain('It runs with your rights')
    expect(await printed({ type: 'run' })).toContain('in the sandbox')
  })

  it('tells machines the same, every option with a description', async () => {
    const told = JSON.parse(await printed({ json: true })) as Told
    expect(told.graders.map(({ type }) => type)).toEqual(graders.map(({ type }) => type))
    expect(told.common.map(({ name }) => name)).toEqual([
      'name',
      'weight',
      'required',
      'negate',
      'transform',
    ])
    const undescribed = told.graders.flatMap(({ type, options }) =>
      options.filter(({ description }) => description === '').map(({ name }) => `${type}.${name}`),
    )
    expect(undescribed).toEqual([])
    expect(JSON.parse(await printed({ json: true, type: 'equals' }))).toMatchObject({
      graders: [
        { type: 'equals', options: [{ name: 'value', type: 'text', required: true }, {}, {}] },
      ],
    })
  })

  it('knows what was meant by a type that does not exist', async () => {
    await expect(printed({ type: 'equal' })).rejects.toThrow('did you mean equals?')
    await expect(printed({ type: 'xyz' })).rejects.toThrow(UsageError)
  })
})

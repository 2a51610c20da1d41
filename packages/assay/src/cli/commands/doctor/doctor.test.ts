import pico from 'picocolors'
import { expect, it } from 'vitest'
import { doctorCommand } from './doctor.ts'

const colors = pico.createColors(false)

it('says of every language and of the sandbox whether they are ready, within the width', async () => {
  let text = ''
  const output = { out: (part: string) => void (text += part), colors, width: 60 }
  expect(await doctorCommand({}, output)).toBe(0)
  for (const name of ['sandbox', 'typescript', 'javascript', 'python', 'rust'])
    expect(text).toMatch(new RegExp(`^(ready  |missing)  ${name}`, 'm'))
  for (const name of ['claude', 'codex', 'gemini'])
    expect(text).toMatch(new RegExp(`^(ready  |absent )  ${name}`, 'm'))
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(60)
})

it('says the same to machines, with how to get what is missing', async () => {
  let text = ''
  const output = { out: (part: string) => void (text += part), colors, width: 60 }
  await doctorCommand({ json: true }, output)
  const said = JSON.parse(text) as {
    sandbox: { ready: boolean; how?: string }
    languages: { ready: boolean; tools: { version: string | null; how?: string }[] }[]
  }
  expect(said.sandbox.ready || said.sandbox.how !== undefined).toBe(true)
  expect(said.languages).toHaveLength(4)
  for (const { ready, tools } of said.languages)
    expect(ready).toBe(tools.every(({ how }) => how === undefined))
})

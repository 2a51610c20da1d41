/** Functions in a process of their own: calls that end or block it, keys, files that they consist of. */
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FunctionCall, FunctionReply } from '@assay/contract'
import { suiteFolder } from '../../test/suite-folder.ts'
import { openProcessHost, type ProcessHost } from './process-host.ts'

const FILE = `
import { helper } from './helper.ts'
export default {
  cases: [{ input: 1 }],
  passEnv: ['TEST_ONLY_KEY'],
  subjects: {
    async odd({ input, signal }: { input: unknown; signal: AbortSignal }) {
      console.log('got', input)
      if (input === 'exit') process.exit(7)
      if (input === 'block') for (;;) {}
      if (input === 'key') return process.env.TEST_ONLY_KEY ?? null
      if (input === 'wait') await new Promise((resolve) => setTimeout(resolve, 300))
      return helper(input)
    },
  },
  graders: [({ output }: { output: unknown }) => output === 1],
}
`
const HELPER = 'export const helper = (value: unknown): unknown => [value]\n'

async function open(graceMs?: number): Promise<ProcessHost> {
  const folder = await suiteFolder({ 'a.eval.ts': FILE, 'helper.ts': HELPER })
  const loaded = await openProcessHost(join(folder, 'a.eval.ts'), graceMs)
  if (loaded.kind !== 'functions') throw new Error(JSON.stringify(loaded))
  onTestFinished(() => loaded.host.close())
  return loaded.host
}

const ask = (host: ProcessHost, input: string, timeoutMs = 20_000): Promise<FunctionReply> => {
  const call: FunctionCall = {
    kind: 'answer',
    subject: 'odd',
    case: 'c',
    index: 0,
    input,
    timeoutMs,
  }
  return host.call(call, new AbortController().signal)
}

describe('the process of functions', () => {
  it('keeps what a call printed with it, and knows the files that the functions consist of', async () => {
    const host = await open()
    const [a, b] = await Promise.all([ask(host, 'a'), ask(host, 'wait')])
    expect(a).toMatchObject({ how: 'returned', value: ['a'], log: 'got a\n' })
    expect(b).toMatchObject({ how: 'returned', value: ['wait'], log: 'got wait\n' })
    expect(Object.keys(host.files).map((file) => file.split('/').at(-1))).toEqual([
      'a.eval.ts',
      'helper.ts',
    ])
  })

  it('that ends costs only the call that ended it: the others are made again', async () => {
    const host = await open()
    const [ended, waited, more] = await Promise.all([
      ask(host, 'exit'),
      ask(host, 'wait'),
      ask(host, 'more'),
    ])
    expect(ended).toMatchObject({ how: 'died', text: 'its process ended: exit code 7' })
    expect(waited).toMatchObject({ how: 'returned', value: ['wait'] })
    expect(more).toMatchObject({ how: 'returned', value: ['more'] })
  })

  it('that is blocked is stopped, and only the call that blocks it times out', async () => {
    const host = await open(500)
    const [blocked, waited] = await Promise.all([ask(host, 'block', 1), ask(host, 'wait')])
    expect(blocked.how).toBe('timeout')
    expect(waited).toMatchObject({ how: 'returned', value: ['wait'] })
  }, 60_000)

  it('gets only the variables that it is given', async () => {
    const host = await open()
    expect((await ask(host, 'key')).value).toBeNull()
    host.give({ TEST_ONLY_KEY: 'given' })
    expect((await ask(host, 'key')).value).toBe('given')
  })

  it('says why a file does not load, and that a file has no functions', async () => {
    const folder = await suiteFolder({
      'bad.eval.ts': 'throw new Error("no luck")',
      'data.ts': 'export default { cases: [] }',
    })
    expect(await openProcessHost(join(folder, 'bad.eval.ts'))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('no luck') as string,
    })
    expect(await openProcessHost(join(folder, 'data.ts'))).toEqual({ kind: 'data' })
  })
})

/** Modules of users' projects, written as TypeScript projects write them. */
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { suiteFolder } from '../../test/suite-folder.ts'
import { readModule } from '../documents/index.ts'
import { openProcessHost } from './process-host.ts'

const PROJECT = {
  'a.eval.ts': `
import { parse } from './lib/parse'
import { Kind } from './lib/index.js'
import old from './old.js'
export default {
  cases: [{ input: '3' }],
  subjects: { ours: ({ input }: { input: string }) => ({ n: parse(input), kind: Kind.Number, old: old.name }) },
  graders: [() => true],
}
`,
  'lib/parse.ts': 'export const parse = (text: string): number => Number(text)\n',
  'lib/index.ts':
    "export enum Kind { Text = 'text', Number = 'number' }\nexport * from './parse'\n",
  'old.js': "// An example:\n// export default 1\nmodule.exports = { name: 'old' }\n",
}

describe.each(['commonjs', 'module'])('in a project of type %s', (type) => {
  const packageJson = { 'package.json': JSON.stringify({ type }) }
  const files = {
    ...PROJECT,
    // In an ES module project, CommonJS files end with .cjs.
    ...(type === 'commonjs'
      ? {}
      : {
          'a.eval.ts': PROJECT['a.eval.ts'].replace('./old.js', './old.cjs'),
          'old.cjs': PROJECT['old.js'],
        }),
  }

  it('imports without endings, enums and CommonJS files load, and every file is known', async () => {
    const folder = await suiteFolder({ ...files, ...packageJson })
    const loaded = await openProcessHost(join(folder, 'a.eval.ts'))
    if (loaded.kind !== 'functions') throw new Error(JSON.stringify(loaded))
    onTestFinished(() => loaded.host.close())
    const call = { kind: 'answer', subject: 'ours', case: 'c', index: 0, input: '3' } as const
    const reply = await loaded.host.call(
      { ...call, timeoutMs: 20_000 },
      new AbortController().signal,
    )
    expect(reply.value).toEqual({ n: 3, kind: 'number', old: 'old' })
    expect(Object.keys(loaded.host.files)).toHaveLength(4)
  })

  it('a suite of data loads as a module', async () => {
    const text = "import { parse } from './lib'\nexport default { id: 'x', weight: parse('2') }\n"
    const folder = await suiteFolder({ ...files, ...packageJson, 's.ts': text })
    const read = await readModule(join(folder, 's.ts'), { allowed: true })
    expect(read?.value).toEqual({ id: 'x', weight: 2 })
  })

  it('an import of a file that is not there names it as it is written', async () => {
    const folder = await suiteFolder({
      ...packageJson,
      'a.eval.ts': "import './gone'\nexport default {}\n",
    })
    const loaded = await openProcessHost(join(folder, 'a.eval.ts'))
    expect(loaded).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/Cannot find module .*gone'/),
    })
  })
})

import path from 'node:path'
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { suiteFolder, testGraders } from '../../../../test/suite-folder.ts'
import { validateCommand } from './validate.ts'

const colors = pico.createColors(false)

const SOUND = `id = "s"
[[cases]]
id = "a"
prompt = "p"
reference = "x"
faulty = ["y"]
graders = [{ type = "equals", value = "x" }]
[[cases]]
id = "b"
prompt = "p"
`

async function validate(files: Record<string, string>, ...names: string[]) {
  const folder = await suiteFolder(files)
  let out = ''
  let err = ''
  const paths = names.map((name) => path.join(folder, name))
  const code = await validateCommand(
    { paths, graders: testGraders },
    { out: (text) => (out += text), err: (text) => (err += text), colors },
  )
  const short = (text: string): string =>
    text.replaceAll(folder + path.sep, '').replaceAll(folder, '.')
  return { code, out: short(out), err: short(err) }
}

describe('assay validate', () => {
  it('prints no control character of a name', async () => {
    const names = { '\u001b[31ma/s.toml': SOUND, '\u001b]0;b\u0007/s.toml': SOUND }
    const { code, out, err } = await validate(names, '.')
    expect(code).toBe(0)
    expect(err).toContain('has the same id as')
    // oxlint-disable-next-line no-control-regex
    expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })

  it('leaves out what Assay wrote itself, and nothing else that is called so', async () => {
    const own = (kind: string): string => JSON.stringify({ assay: kind, cases: [{ id: 'x' }] })
    const files = {
      'run1/run.json': own('run'),
      'run1/workspaces/s.toml': SOUND,
      'report.json': own('report'),
      'baseline.json': own('baseline'),
      'mine/run.json': '{"anything": 1}',
      'mine/s.toml': SOUND,
    }
    const { code, out, err } = await validate(files, '.')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe('ok mine/s.toml: 2 cases, 1 graded, 1 with reference and faulty answers\n')
  })

  it('exits 0 and counts when all is sound', async () => {
    expect(await validate({ 's.toml': SOUND }, 's.toml')).toEqual({
      code: 0,
      out: 'ok s.toml: 2 cases, 1 graded, 1 with reference and faulty answers\n',
      err: '',
    })
  })

  it('exits 2 and tells every problem of every file', async () => {
    const { code, out, err } = await validate(
      { 'ok.toml': SOUND, 'a.yaml': 'id: s\ncases: [{id: a}]', 'b.json': '{' },
      'a.yaml',
      'ok.toml',
      'b.json',
      'missing.toml',
    )
    expect(code).toBe(2)
    expect(out).toContain('ok ok.toml')
    expect(err.trimEnd().split('\n')).toEqual([
      'a.yaml:2:9: cases[0]: expected a prompt, found neither prompt nor turns',
      'b.json:1:2: expected a key in double quotes, found the end of the file',
      'missing.toml: there is no such file; expected a readable file',
    ])
  })

  it('shows warnings and still exits 0', async () => {
    const rows = '{"task_id": "a", "prompt": "p", "entry_point": "f", "test": "t", "extra": 1}\n'
    const { code, out, err } = await validate({ 'h.jsonl': rows }, 'h.jsonl')
    expect(code).toBe(0)
    expect(out).toContain(
      '1 case, 1 graded, 0 with reference and faulty answers, read as humaneval',
    )
    expect(err).toContain('h.jsonl:1: warning: extra is not acted on\n')
  })

  it('searches folders, without running programs found there', async () => {
    const files = {
      'in/a.toml': SOUND,
      'in/deep/b.toml': SOUND,
      'in/s.ts': 'throw new Error("ran")',
    }
    const { code, out, err } = await validate(files, 'in')
    expect(code).toBe(0)
    expect(out.split('\n').filter((line) => line.startsWith('ok '))).toHaveLength(2)
    expect(err).toContain('has the same id as in/a.toml: they cannot be in one run')
    expect(await validate({ 'x/y.txt': '' }, 'x')).toMatchObject({ code: 2 })
  })

  it('runs a program that was named', async () => {
    const text = 'export default { id: "m", cases: [{ id: "a", prompt: "p" }] }'
    expect(await validate({ 's.mjs': text }, 's.mjs')).toMatchObject({ code: 0 })
  })
})

describe('assay validate --prove', () => {
  async function prove(text: string) {
    const folder = await suiteFolder({ 's.toml': text })
    let out = ''
    const code = await validateCommand(
      { paths: [path.join(folder, 's.toml')], prove: true },
      { out: (more) => (out += more), err: () => {}, colors },
    )
    return { code, lines: out.trimEnd().split('\n').slice(1) }
  }

  it('exits 0 where references score 1 and faulty answers fail, and names cases without', async () => {
    expect(await prove(SOUND)).toEqual({
      code: 0,
      lines: [
        '  1 of 1 reference scores 1, 1 of 1 faulty answer fails',
        '  1 case without a reference or a faulty answer: b',
      ],
    })
  })

  it('exits 2 where a case cannot tell, and says which', async () => {
    const blind = `id = "s"
[[cases]]
id = "blind"
prompt = "p"
reference = "long"
faulty = ["lost", "l"]
graders = [{ type = "matches", pattern = "^l..." }]
[[cases]]
id = "strict"
prompt = "p"
reference = "x"
faulty = ["y"]
graders = [{ type = "equals", value = "z" }]
`
    expect(await prove(blind)).toEqual({
      code: 2,
      lines: [
        '  blind: faulty answer 1 passes',
        '  strict: the reference scores 0: equals: expected "z", found "x"',
        '  1 of 2 references score 1, 2 of 3 faulty answers fail',
      ],
    })
  })
})

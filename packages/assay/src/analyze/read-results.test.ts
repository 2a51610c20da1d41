import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { UsageError } from '@assay/contract'
import { resultFolder, rowsOf } from '../../test/result-rows.ts'
import { readResults } from './read-results.ts'

const { folder, read, remove } = resultFolder()
afterAll(remove)

const TIER_CSV = [
  'experiment,agent_model,tier,subtest,run_number,score,impl_rate,passed,grade,cost_usd,duration_seconds,total_tokens,input_tokens,output_tokens,cache_creation_tokens,cache_read_tokens,exit_code',
  'e1,m,T0,s1,1,0.5,0.25,True,F,0.1,2.5,30,10,20,0,5,0',
  'e1,m,T1,s1,1,,,,,,,,,,,,1',
].join('\n')

describe('a tier experiment’s CSV', () => {
  it('is read without naming a column, and what is missing stays unknown', async () => {
    const results = await read(TIER_CSV)
    expect(rowsOf(results)).toEqual([
      {
        suite: 'e1',
        case: 's1',
        subject: 'm+T0',
        verdict: 'passed',
        index: 1,
        score: 0.5,
        implRate: 0.25,
        answerUsd: 0.1,
        answerMs: 2500,
        input: 10,
        output: 20,
        cacheWrite: 0,
        cacheRead: 5,
      },
      { suite: 'e1', case: 's1', subject: 'm+T1', verdict: 'unscored', index: 1 },
    ])
    const [file] = results.files
    expect(file?.map?.chosen).toContainEqual({
      role: 'subject',
      columns: ['agent_model', 'tier'],
      why: 'their names: the same tier of two models is two subjects',
      isGuess: true,
    })
    expect(file?.map?.unused).toEqual(['grade', 'total_tokens', 'exit_code'])
  })

  it('reads the same with CRLF, a byte order mark, tabs, semicolons and decimal commas, gzipped', async () => {
    const rows = rowsOf(await read(TIER_CSV))
    const semicolons = TIER_CSV.replaceAll(',', ';').replaceAll('.', ',')
    for (const text of [
      TIER_CSV.replaceAll('\n', '\r\n'),
      `\ufeff${TIER_CSV}\n`,
      TIER_CSV.replaceAll(',', '\t'),
      semicolons,
      gzipSync(TIER_CSV),
    ])
      expect(rowsOf(await read(text))).toEqual(rows)
  })

  it('reads the same as JSON lines and as a JSON list', async () => {
    const [header = '', ...lines] = TIER_CSV.split('\n')
    const objects = lines.map((line) =>
      Object.fromEntries(
        line
          .split(',')
          .map((cell, i) => [
            header.split(',')[i],
            cell === ''
              ? null
              : cell === 'True'
                ? true
                : Number.isNaN(Number(cell))
                  ? cell
                  : Number(cell),
          ]),
      ),
    )
    const rows = rowsOf(await read(TIER_CSV))
    const jsonl = objects.map((one) => JSON.stringify(one)).join('\n')
    expect(rowsOf(await read(jsonl))).toEqual(rows)
    expect(rowsOf(await read(gzipSync(jsonl)))).toEqual(rows)
    expect(rowsOf(await read(JSON.stringify(objects, null, 2)))).toEqual(rows)
    expect(rowsOf(await read(`\ufeff${JSON.stringify(objects)}`))).toEqual(rows)
  })
})

describe('columns', () => {
  it('can be named, guesses taken back, and several make one subject', async () => {
    const text =
      'who,how,what,ok,points,took,attempt\na,x,c1,1,85,1500,first\nb,y,c1,0,5,20,first\n'
    const mapping = {
      subject: 'who,how',
      case: 'what',
      passed: 'ok',
      score: 'points',
      scoreMax: 100,
      duration: 'took',
      durationUnit: 'ms',
      index: 'none',
    } as const
    expect(rowsOf(await read(text, mapping))).toEqual([
      {
        suite: 'results',
        case: 'c1',
        subject: 'a+x',
        verdict: 'passed',
        score: 0.85,
        answerMs: 1500,
      },
      {
        suite: 'results',
        case: 'c1',
        subject: 'b+y',
        verdict: 'failed',
        score: 0.05,
        answerMs: 20,
      },
    ])
  })

  it('that are not there are refused with the nearest name', async () => {
    await expect(read(TIER_CSV, { case: 'subtset' })).rejects.toThrow(
      /there is no column "subtset" for --case; did you mean "subtest"\?/,
    )
  })

  it('of the same name are refused only where one of them is meant', async () => {
    const text = 'case,passed,x,x\nc,1,2,3\n'
    expect((await read(text)).table.rows).toBe(1)
    await expect(read(text, { score: 'x' })).rejects.toThrow(/two columns are called "x"/)
  })

  it('that appear twice are refused by that name, and not passed over for the next best', async () => {
    await expect(read('case,case,passed\nc,d,1\n')).rejects.toThrow(
      /the name "case" appears twice in the header/,
    )
    const text = 'case,passed,passed,status\nc,1,0,1\n'
    await expect(read(text)).rejects.toThrow(/"passed" appears twice/)
    expect((await read(text, { passed: 'status' })).table.rows).toBe(1)
    await expect(read('case_id,caseId,passed\nc,d,1\n')).rejects.toThrow(
      /"case_id" and "caseId" could both be the case; say which with --case/,
    )
  })

  it('that count passes are no verdicts, unless the user says so', async () => {
    for (const beside of ['failed', 'total', 'Planned', 'num_trials']) {
      const text = `case,passed,${beside}\nc,1,0\nd,0,0\n`
      await expect(read(text)).rejects.toThrow(/"passed" looks like a count/)
      expect((await read(text, { passed: 'passed' })).table.rows).toBe(2)
    }
    expect((await read('case,status,failed\nc,passed,0\n')).table.rows).toBe(1)
  })

  it('with percent signs are shares, and that is said', async () => {
    const results = await read('case,passed,score,impl_rate\nc,1,95%,12.5 %\n')
    expect(rowsOf(results)[0]).toMatchObject({ score: 0.95, implRate: 0.125 })
    expect(results.files[0]?.notes).toEqual([
      'score: 1 value with a unit, such as "95%", read as 0.95',
      'impl_rate: 1 value with a unit, such as "12.5 %", read as 0.125',
    ])
  })

  it('with three digits after a comma are read as decimals, and that is said where it is in doubt', async () => {
    const notes = async (...cells: string[]): Promise<readonly string[]> => {
      const rows = cells.map((cell, i) => `c${i};1;${cell}`)
      const { files } = await read(['case;passed;cost_usd', ...rows].join('\n'))
      return files[0]?.notes ?? []
    }
    expect(await notes('1,000', '12,500')).toEqual([
      'cost_usd: 2 numbers such as 1,000 read as 1, not as thousands',
    ])
    expect(await notes('1.000', '0,5')).toEqual([
      'cost_usd: 1 number such as 1.000 read as 1, not as thousands',
    ])
    for (const plain of ['0,125', '1,5', '1234,567'])
      expect(await notes('1,000', plain)).toEqual([])
    const rate = await read('case;passed;score\nc;1;1,000\n')
    expect(rate.files[0]?.notes).toEqual([])
  })

  it('that no one can guess are asked for, with those there are', async () => {
    await expect(read('a,b\n1,2\n')).rejects.toThrow(/--case\..* The columns are: a, b/)
    await expect(read('case,b\n1,2\n')).rejects.toThrow(/--passed/)
    await expect(read('case,score\n1,1\n')).rejects.toThrow(/--threshold/)
  })

  it('may decide by a threshold on the score; without a score nothing was judged', async () => {
    const rows = rowsOf(await read('case,score\na,0.8\nb,0.7999\nc,\n', { threshold: 0.8 }))
    expect(rows.map(({ verdict }) => verdict)).toEqual(['passed', 'failed', 'unscored'])
    await expect(read('case,passed\na,1\n', { threshold: 0.8, passed: 'passed' })).rejects.toThrow(
      /both decide/,
    )
  })

  it('of Assay’s own CSV tell errored from unscored trials', async () => {
    const text =
      'suite,case,subject,index,outcome,passed,score,answer_ms,grade_ms,case_hash\ns,c,m,0,errored,,,5,6,h\n'
    expect(rowsOf(await read(text))).toEqual([
      {
        suite: 's',
        case: 'c',
        subject: 'm',
        index: 0,
        verdict: 'errored',
        answerMs: 5,
        gradeMs: 6,
      },
    ])
  })

  it('in JSON may lie inside objects', async () => {
    const line = JSON.stringify({ id: { task: 'c' }, graded: { ok: true, __proto__: 1 } })
    expect(
      rowsOf(await read(`${line}\n`, { case: 'id.task', passed: 'graded.ok' }))[0],
    ).toMatchObject({ case: 'c', verdict: 'passed' })
  })
})

describe('a bad file', () => {
  it('is refused with the first bad rows, their lines and what was found', async () => {
    const text = [
      'case,subject,passed,score,cost',
      'a,m,true,0.5,0.1',
      'b,m,perhaps,0.5,0.1',
      'c,m,true,1.5,0.1',
      'd,m,true,0.5,-1',
      '"e',
      'e",m,true,x,0.1',
      'f,m,true',
      ',m,true,0,0',
      'h,,true,0,0',
    ].join('\n')
    const message = await read(text, {}, 'bad.csv').then(
      () => '',
      (error: Error) => error.message.replaceAll(folder, ''),
    )
    expect(message).toBe(
      [
        '4 rows cannot be read',
        '  /bad.csv:3: passed: expected true or false, 1 or 0, found "perhaps"',
        '  /bad.csv:8: 3 cells where the header has 5; a cell with the delimiter or a line break in it needs quotes',
        '  /bad.csv:9: case: expected a name, it is empty',
        '  /bad.csv:10: subject: expected a name, it is empty',
        '  --passed names another column, --score and --threshold make verdicts from scores; --case names another column; --subject names another column; --skip-bad-rows leaves such rows out',
      ].join('\n'),
    )
  })

  it('is refused where a line of JSON is none, or no object', async () => {
    const good = '{"case":"a","passed":true}'
    await expect(read(`${good}\n{"case":`)).rejects.toThrow(/:2: no JSON/)
    await expect(read(`${good}\n[1]\n`)).rejects.toThrow(/:2: expected a JSON object/)
    await expect(read(`${good}\n{"case":{},"passed":true}`)).rejects.toThrow(
      /:2: case: expected a name/,
    )
    await expect(read('{"a": 1}')).rejects.toThrow(/--case/)
    await expect(read('{\n"a": 1}')).rejects.toThrow(/no known kind/)
    await expect(read('{\n"a": 1')).rejects.toThrow(/is not valid JSON/)
  })

  it('is refused where it is empty, binary, a folder or missing', async () => {
    await expect(read('')).rejects.toThrow(/has no rows/)
    await expect(read('case,passed\n')).rejects.toThrow(/has no rows/)
    await expect(read(Buffer.from('PK\u0003\u0004rest'))).rejects.toThrow(/spreadsheet/)
    await expect(read(Buffer.from('SQLite format 3\0,x\n'))).rejects.toThrow(/not a text file/)
    await expect(read(gzipSync(TIER_CSV).subarray(0, 40))).rejects.toThrow(/cannot read/)
    await expect(readResults([folder])).rejects.toThrow(/is a folder/)
    await expect(readResults([join(folder, 'none.csv')])).rejects.toThrow(/cannot read/)
  })

  it('with samples that nobody graded says how to grade them', async () => {
    const line = '{"task_id":"HumanEval/0","completion":"return 1"}'
    await expect(read(line, {}, 's.jsonl')).rejects.toThrow(/replay:/)
  })
})

describe('hostile files', () => {
  it('are no pipes that nobody writes to, and no devices', async () => {
    const [pipe, zero] = [join(folder, 'pipe.csv'), join(folder, 'zero.csv')]
    execFileSync('mkfifo', [pipe])
    symlinkSync('/dev/zero', zero)
    for (const path of [pipe, zero])
      await expect(readResults([path])).rejects.toThrow('is not an ordinary file')
  })

  it('keep their names as text: prototype keys, NUL', async () => {
    const { table } = await read(
      'case,subject,passed\n__proto__,constructor,1\n"a\0b",toString,1\n',
    )
    expect(table.cases.names).toEqual(['__proto__', 'a\0b'])
    expect(table.subjects).toEqual([['constructor'], ['toString']])
  })

  it('that are not UTF-8 are refused with the lines, for two names would become one', async () => {
    const rows = ['a,1', 'caf\u00e9,1', 'caf\u00e8,0', 'caf\u00e9,1']
    const text = ['case,passed', ...rows].join('\n')
    await expect(read(Buffer.from(text, 'latin1'))).rejects.toThrow(
      /3 rows cannot be read\n.*csv:3: not UTF-8; --encoding windows-1252[^\n]*\n.*csv:4: /,
    )
    expect((await read(text)).table.cases.names).toEqual(['a', 'caf\u00e9', 'caf\u00e8'])
    const named = await read(Buffer.from(text, 'latin1'), { encoding: 'windows-1252' })
    expect(named.table.cases.names).toEqual(['a', 'caf\u00e9', 'caf\u00e8'])
    await expect(read(text, { encoding: 'klingon' })).rejects.toThrow(/not a known encoding/)
    await expect(read(Buffer.from('case,passed,\u00e9\na,1,x', 'latin1'))).rejects.toThrow(
      /csv:1: not UTF-8/,
    )
    const lines = '{"case":"a","passed":1}\n{"case":"caf\u00e9","passed":1}\n'
    await expect(read(Buffer.from(lines, 'latin1'))).rejects.toThrow(/csv:2: not UTF-8/)
    const list = '[\n{"case":"a","passed":1},\n{"case":"caf\u00e9","passed":1}]'
    await expect(read(Buffer.from(list, 'latin1'))).rejects.toThrow(/csv:3: not UTF-8/)
  })

  it('of UTF-8 may be cut anywhere between the pieces they are read in', async () => {
    // `é` has two bytes, and the `x` puts it at an odd offset. Pieces have a power of two bytes, so one ends inside an
    // `é`.
    const note = `x${'\u00e9'.repeat(600_000)}`
    const { table } = await read(`case,passed,note\ncaf\u00e9,1,${note}\n\u00fc,1,${note}\n`)
    expect(table.cases.names).toEqual(['caf\u00e9', '\u00fc'])
  })

  it('may have a huge cell where nobody looks, and not where a name is expected', async () => {
    const huge = 'x'.repeat(10_000_000)
    expect((await read(`case,passed,log\na,1,"${huge}"\n`)).table.rows).toBe(1)
    await expect(read(`case,passed\n${huge},1\n`)).rejects.toThrow(
      /expected a name, found "x{40}…"/,
    )
  })
})

it.each([`${'['.repeat(9000)}${']'.repeat(9000)}`, `{"a":`.repeat(9000) + '1' + '}'.repeat(9000)])(
  'a value that is nested too deeply to be shown is refused: %.9s',
  async (deep) => {
    const rows = [`[{"case":"a","model":"m","passed":${deep}}]`, deep]
    for (const text of rows)
      await expect(read(text, undefined, 'deep.json')).rejects.toThrow(UsageError)
  },
)

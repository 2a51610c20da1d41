/**
 * If a reader closes standard output or standard error, only the printing stops. The exit code, the run, the
 * reports and every other file are the same as with an open stream.
 *
 * These code paths were checked:
 * - Every command that prints: run (with and without --json, with --report, --dry-run, --resume), report in several
 *   formats (all go through one function), show, compare, analyze, validate, models, graders, schema, doctor,
 *   bless, init, --help, --version and a usage error. closed-output.long.test.ts tests the commands that are not
 *   tested here.
 * - The streams: standard output closed, standard error closed, both closed, both never open, a full disk, a slow
 *   reader. They are real pipes of a shell, or the sockets that a parent process gives.
 * - The two places that end the process by themselves: the second signal of a run (on purpose), and the first file
 *   of the command (it has printed everything by then).
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CASES,
  COMMANDS,
  RUN,
  TRIALS,
  bash,
  closingChangesNothing,
  expectWhole,
  filesIn,
  folderOfTest,
  quote,
} from './closed-output.ts'

/** The commands that write files. */
const WRITING = COMMANDS.filter(([, word]) => word === 'run').slice(0, 3)

describe('a reader that closes the stream', () => {
  closingChangesNothing(WRITING)

  it('does not change the exit code through the pipes of a shell', async () => {
    const gate = ['compare', '--baseline', 'good', '--current', 'bad', '--gate', 'statistical']
    const expected: readonly (readonly [string[], number])[] = [
      [['report', 'good', '--format', 'html'], 0],
      [['show', 'bad', '--json'], 0],
      [gate, 1],
      [['rnu'], 2],
    ]
    for (const [args, code] of expected)
      for (const into of ['2>/dev/null | true', '2>&1 | true', '| head -1 >/dev/null']) {
        const script = `assay ${quote(args)} ${into}; echo "\${PIPESTATUS[0]}"`
        expect(Number((await bash(script, folderOfTest())).stdout), script).toBe(code)
      }
  })

  it('leaves a run with --json whole, wherever in the middle it stops reading', async () => {
    for (const lines of [1, 2, 50]) {
      const { stdout } = await bash(
        `assay ${quote([...RUN, '--json'])} | head -${lines} | wc -l; echo "\${PIPESTATUS[0]}"`,
        folderOfTest(),
      )
      expect(stdout.trim().split('\n')).toEqual([String(lines), '0'])
      await expectWhole(join(folderOfTest(), 'new'))
      await rm(join(folderOfTest(), 'new'), { recursive: true })
    }
  })

  it.each(['>&-', '2>&-', '>&- 2>&-', '2>&1 >/dev/null | true', '2>&1 | head -1'])(
    'leaves a run and its report whole: %s',
    async (into) => {
      const { stdout, stderr } = await bash(
        `assay ${quote([...RUN, '--report', 'x.html'])} ${into}; echo "code \${PIPESTATUS[0]}"`,
        folderOfTest(),
      )
      expect(stdout, stderr).toMatch(/^code 0$/m)
      await expectWhole(join(folderOfTest(), 'new'))
      expect(await filesIn(folderOfTest())).toContain('x.html')
      expect((await filesIn(folderOfTest())).filter((name) => name.endsWith('.tmp'))).toEqual([])
    },
  )
})

describe('a disk that is full', () => {
  it('is reported and ends with 3, after the run and its report are done', async () => {
    const args = [...RUN, '--json', '--report', 'x.html']
    const { code, stderr } = await bash(`assay ${quote(args)} >/dev/full`, folderOfTest())
    expect(code).toBe(3)
    expect(stderr.match(/cannot write the output: ENOSPC/g)).toHaveLength(1)
    await expectWhole(join(folderOfTest(), 'new'))
    expect(await filesIn(folderOfTest())).toContain('x.html')
    expect((await filesIn(folderOfTest())).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('does not change a code that says more', async () => {
    const args = ['compare', '--baseline', 'good', '--current', 'bad', '--gate', 'statistical']
    const { code, stderr } = await bash(`assay ${quote(args)} >/dev/full`, folderOfTest())
    expect(code).toBe(1)
    expect(stderr).toContain('cannot write the output')
  })

  it('that is only full for standard error changes nothing', async () => {
    const { code } = await bash(
      `assay ${quote([...RUN, '--json'])} 2>/dev/full >/dev/null`,
      folderOfTest(),
    )
    expect(code).toBe(0)
    await expectWhole(join(folderOfTest(), 'new'))
  })
})

describe('a slow reader', () => {
  it('gets everything, after the command has nothing else left to do', async () => {
    const events = await bash(
      `assay ${quote([...RUN, '--json'])} | (sleep 2; wc -l)`,
      folderOfTest(),
    )
    expect(Number(events.stdout), events.stderr).toBe(CASES * TRIALS + 2)
    const args = ['report', 'new', '--format', 'csv']
    const rows = await bash(
      `assay ${quote(args)} | (sleep 1; cat) > slow.csv; assay ${quote(args)} > quick.csv`,
      folderOfTest(),
    )
    expect(rows.code).toBe(0)
    const slow = await readFile(join(folderOfTest(), 'slow.csv'), 'utf8')
    expect(slow).toBe(await readFile(join(folderOfTest(), 'quick.csv'), 'utf8'))
    expect(slow.split('\n').length).toBe(CASES * TRIALS + 2)
  })
})

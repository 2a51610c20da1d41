/** Labels, from the answers to every output. Runs stay in this process. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeCase, fakeSubject, fakeSuite, saying } from '../../../test/fakes.ts'
import { formatNamed, readRun, renderReport, reportSchema } from '../../report/index.ts'
import { run } from '../../run/index.ts'

const root = mkdtempSync(join(tmpdir(), 'assay-classes-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const labels = ['good', '=bad|`x`']
/** What is expected, and what the subject answers. */
const ANSWERS: readonly (readonly [string, string])[] = [
  ['good', 'good'],
  ['good', 'Good.'],
  ['good', '=bad|`x`'],
  ['good', ''],
  ['=bad|`x`', '=bad|`x`'],
  ['=bad|`x`', 'who knows'],
]

const suite = (group?: string) =>
  fakeSuite(
    ANSWERS.map(([expected], i) =>
      fakeCase(`c${i}`, {
        ...(group === undefined ? {} : { group: `${group}${i % 3}` }),
        graders: [
          {
            ...{ type: 'label', name: 'mood', weight: 1, required: false, negate: false },
            options: { expected, labels, find: 'whole', ignoreCase: true },
          },
        ],
      }),
    ),
  )

async function made(name: string, group?: string) {
  const folder = join(root, name)
  await run({
    suites: [suite(group)],
    subjects: [
      fakeSubject(({ case: one }) => {
        const [, answer] = ANSWERS[Number(one.id.slice(1))] ?? []
        return saying(answer ?? '')
      }),
    ],
    folder,
    trials: 2,
  })
  return await readRun(folder)
}

describe('a suite with labels', () => {
  let source: Awaited<ReturnType<typeof made>>
  beforeAll(async () => {
    source = await made('plain')
  })

  const text = async (format: string): Promise<string> => {
    const pieces: string[] = []
    await formatNamed(format).write(source, (piece) => void pieces.push(piece))
    return pieces.join('')
  }

  it('counts every scored trial, and answers without a label against their class', () => {
    const [one] = source.report.classification ?? []
    expect(one).toMatchObject({
      ...{ suite: 'suite', subject: 'fake', grader: 'mood', trials: 12 },
      classes: [
        { name: '=bad|`x`', expected: 4, predicted: 4, correct: 2 },
        { name: 'good', expected: 8, predicted: 4, correct: 4 },
      ],
      confusion: [
        [2, 0, 2],
        [2, 4, 2],
      ],
      accuracy: { value: 0.5, n: 12 },
    })
    expect(one?.accuracy.groups).toBeUndefined()
    expect(reportSchema.safeParse(source.report).success).toBe(true)
  })

  it('is the same over groups, with groups as the unit', async () => {
    const grouped = await made('grouped', 'g')
    const [one] = grouped.report.classification ?? []
    expect(one?.accuracy).toMatchObject({ value: 0.5, n: 12, groups: 3 })
    expect(one?.confusion).toEqual(source.report.classification?.[0]?.confusion)
  })

  it('is in the terminal, in Markdown, on the page and in tables', async () => {
    const shown = renderReport(source.report, { width: 80, colors: picocolors.createColors(false) })
    expect(shown).toContain('macro average')
    expect(shown).toContain('expected \\ answered')
    expect(shown).toContain('4 answers give no label')
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    const markdown = await text('markdown')
    expect(markdown).toContain('### Classes: `mood, fake`')
    expect(markdown).toContain('expected')
    expect(await text('html')).toContain('"confusion":[[2,0,2],[2,4,2]]')
    const [head, ...rows] = (await text('classes')).trimEnd().split('\n')
    expect(head).toContain('suite,subject,grader,kind,class')
    expect(rows).toHaveLength(4)
    // A label is untrusted text: it must not be a formula of a spreadsheet.
    expect(rows[0]).toContain("fake,mood,class,'=bad|`x`,4,4,2,2,0.5,")
    const trials = (await text('csv')).split('\n')
    expect(trials[0]).toContain(',label_expected,label_predicted,')
    expect(trials.find((line) => line.includes(',c0,'))).toContain(',good,good,')
  })
})

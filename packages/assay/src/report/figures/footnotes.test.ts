import { expect, test } from 'vitest'
import { fakeSource } from '../../../test/fake-source.ts'
import { reportOf, trialOf } from '../../../test/report-of.ts'
import { makeViewData } from '../view-data/make-view-data.ts'
import { renderMarkdown } from '../formats/markdown.ts'
import { notesOf } from './footnotes.ts'

const report = reportOf(
  [{ id: 's', cases: [{ id: 'c', trials: 5 }] }],
  [{ id: 'x' }, { id: 'y' }],
  [
    ...[0, 1, 2].map((index) => trialOf({ case: 'c', subject: 'x', index, outcome: 'passed' })),
    trialOf({ case: 'c', subject: 'y', index: 0, outcome: 'failed' }),
    trialOf({ case: 'c', subject: 'y', index: 1, outcome: 'errored' }),
  ],
  { passK: [1, 3] },
)

test('what did not run, what errors could change and what a figure rests on is told of whom it holds', () => {
  const notes = notesOf({ ...report, notes: ['of the run'], spentUsd: 0.5 })
  expect(notes[0]).toBe('the run is not complete: 5 planned trials did not run')
  expect(notes[1]).toBe('of the run')
  expect(notes).toContain('spent at least $0.50')
  expect(notes.find((note) => note.startsWith('y: with its 1 errored trial'))).toContain('50%')
  expect(notes.find((note) => note.includes('pass@3'))).toMatch(/^y: /)
})

test('the page and a comment say the same', async () => {
  const data = await makeViewData({ ...fakeSource([]), report })
  expect(data.notes).toEqual(notesOf(report))
  const comment = renderMarkdown(report)
  for (const note of notesOf(report).slice(1)) expect(comment).toContain(note)
})

test('an open network and an agent without the gateway are told', () => {
  const trial = trialOf({ case: 'c', subject: 'x', index: 0, outcome: 'passed' })
  const suites = [{ id: 's', cases: [{ id: 'c', trials: 1 }] }]
  const notes = (network: string): string =>
    notesOf(reportOf(suites, [{ id: 'x' }], [{ ...trial, network }])).join('\n')
  expect(notes('open')).toContain('the trials of agents had an open network')
  expect(notes('none')).not.toContain('network')
  const [subject] = report.provenance.subjects
  const provenance = {
    ...report.provenance,
    subjects: subject === undefined ? [] : [{ ...subject, config: { gateway: false } }],
  }
  expect(notesOf({ ...report, provenance }).join('\n')).toContain(
    'tool calls and skills of x are the agent’s own claims',
  )
})

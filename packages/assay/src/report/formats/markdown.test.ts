import { describe, expect, it } from 'vitest'
import { fakeSource, fakeTrial, fakeTrials } from '../../../test/fake-source.ts'
import { HOSTILE_NAMES, TERMINAL_CONTROLS } from '../../../test/hostile-names.ts'
import { written } from '../../../test/written.ts'
import type { Trial } from '@assay/contract'
import { code } from '../../text/markdown-text.ts'
import { markdown } from './markdown.ts'
import type { Report } from '../schema/report.ts'

const write = (trials: readonly Trial[], change: Partial<Report> = {}): Promise<string> =>
  written(markdown, fakeSource(trials, change))

const two = fakeTrials({ subjects: ['good', 'poor'], cases: ['one', 'two', 'three'], trials: 4 })

describe('the comment', () => {
  it('begins with what came out and over how many trials', async () => {
    const text = await write(two)
    const { passed, failed } = fakeSource(two).report.counts
    expect(text).toMatch(
      /^\*\*Not decided: \w+ and \w+ pass \S+% against \S+%, .*\*\*\n\nAssay on `suite`: /,
    )
    expect(text).toContain(`24 planned = ${passed} passed + ${failed} failed + 0 unscored`)
  })

  it('has the subjects with intervals, the worst cases and the flakiest', async () => {
    const text = await write(two)
    expect(text).toMatch(/^\| `good` \| \d+\/12 \| \d+% \(\d+–\d+\) \|/m)
    expect(text).toContain('95 % interval for cases like these')
    expect(text).toMatch(/^### Did not always pass\n\n\| case \| subject \| passed \| why \|/m)
    expect(text).toMatch(/^### Flakiest \d of \d flaky cases?$/m)
    expect(text).toMatch(/^<details><summary>.*3 cases by 2 subjects<\/summary>$/m)
  })

  it('names the share and its interval where there is one subject', async () => {
    const alone = fakeTrials({ subjects: ['good'], cases: ['one', 'two', 'three'], trials: 4 })
    expect(await write(alone)).toMatch(
      /^\*\*good passes \S+% of its trials \(95 % interval \S+% to \S+%, for cases like these; 3 cases\)/,
    )
  })

  it('says what is simulated, cached and unprotected before any figure', async () => {
    const simulated = two.map((trial): Trial => ({ ...trial, source: 'simulated' }))
    const text = await write(simulated, { cached: 3, sandboxes: ['none'] })
    for (const said of ['SIMULATED', 'CACHED: 3 answers', 'NO SANDBOX'])
      expect(text.slice(0, text.indexOf('| subject'))).toContain(said)
    expect(await write(two)).not.toMatch(/SIMULATED|CACHED|NO SANDBOX/)
  })

  it('says when not all was run', async () => {
    const { report } = fakeSource(two)
    const counts = { ...report.counts, planned: 30, cancelled: 6 }
    const provenance = { ...report.provenance, stopped: 'budget' as const }
    expect(await write(two, { counts, provenance })).toContain(
      '**Stopped by the budget: 6 planned trials did not run.**',
    )
  })

  it('tells why trials failed beyond wrong answers', async () => {
    const reason = { code: 'not-compiled', text: 'does not compile: x.ts:1:1' } as const
    const text = await write([
      fakeTrial({ suite: 's', case: 'c', subject: 'x', index: 0, outcome: 'failed', reason }),
    ])
    expect(text).toContain(
      '- 1 trial of `x` failed (`not-compiled`), such as: `does not compile: x.ts:1:1`',
    )
  })

  it('can say that nothing was scored, and that there was nothing', async () => {
    const errored = fakeTrial({ suite: 's', case: 'c', subject: 'x', index: 0, outcome: 'errored' })
    expect(await write([errored])).toMatch(
      /^\*\*Nothing can be said about x: no trial was scored \(1 errored\)\.\*\*\n/,
    )
    expect(await write([])).toMatch(/^\*\*Nothing was planned/)
  })
})

describe('a hostile name', () => {
  /**
   * Replaces everything that is written as code, in backticks or as HTML, so that only the rest of the text is checked.
   */
  const outside = (text: string): string =>
    text.replaceAll(/`[^`\n]*`/g, 'CODE').replaceAll(/<code>[^<`|\n]*<\/code>/g, 'CODE')

  it('is nothing but code, and tables keep their columns', async () => {
    const trials = fakeTrials({
      suite: HOSTILE_NAMES[4] ?? '',
      subjects: HOSTILE_NAMES,
      cases: HOSTILE_NAMES,
      trials: 3,
      change: (_, passes, { case: c }) =>
        passes ? {} : { reason: { code: 'not-compiled', text: HOSTILE_NAMES[c] ?? '' } },
    })
    const text = await write(trials, { notes: [...HOSTILE_NAMES] })
    expect(text).not.toMatch(TERMINAL_CONTROLS)
    const rest = outside(text)
    expect(rest).not.toMatch(/script|onerror|everyone|x\.example|javascript|passwd|GH-2|bold|`/)
    const tags = new Set([...rest.matchAll(/<\/?[a-z]\w*/gi)].map(([tag]) => tag))
    expect([...tags].sort()).toEqual([
      '</details',
      '</sub',
      '</summary',
      '<details',
      '<sub',
      '<summary',
    ])
    const tables = rest.split('\n\n').filter((block) => block.startsWith('| '))
    for (const block of tables) {
      const widths = block
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .map((line) => line.split('|').length)
      expect(new Set(widths).size).toBe(1)
    }
    expect(tables.length).toBeGreaterThanOrEqual(3)
  })

  it('ends no code span and no cell', () => {
    for (const name of HOSTILE_NAMES) expect(outside(code(name))).toBe('CODE')
    expect(code('')).toBe('<code></code>')
    expect(code('x'.repeat(1000), 10)).toBe('`xxxxxxxxxx…`')
    expect(code(`${'x'.repeat(9)}😀`, 10)).toBe('`xxxxxxxxx…`')
  })
})

describe('the size', () => {
  it('stays below what GitHub takes, and the comment says what is missing', async () => {
    const cases = Array.from({ length: 1500 }, (_, i) => `case ${i} ${'|'.repeat(70)}`)
    const text = await write(fakeTrials({ subjects: ['a', 'b'], cases, trials: 1 }))
    expect(text.length).toBeLessThan(65_536)
    expect(text.length).toBeGreaterThan(50_000)
    expect(text).toMatch(/… and [\d,]+ rows for which a comment has no room/)
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length)
    expect(text).toMatch(/assay show`<\/sub>\n$/)
  })

  it('stays so with a hundred subjects and notes of any length', async () => {
    const subjects = Array.from({ length: 100 }, (_, i) => `${i}${'<'.repeat(300)}`)
    const trials = fakeTrials({ subjects, cases: ['one'], trials: 1 })
    const text = await write(trials, { notes: Array.from({ length: 99 }, () => '`'.repeat(9999)) })
    expect(text.length).toBeLessThan(65_536)
    expect(text).toMatch(/^\*\*Not decided which of 100 subjects is best/)
  })
})

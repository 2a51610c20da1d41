import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { fakeSide, joined, passes, sideOf } from '../../test/fake-side.ts'
import type { Report } from '../report/index.ts'
import { compareReports } from './comparison.ts'
import { renderMarkdown } from './markdown.ts'
import { renderText } from './text.ts'

const text = (comparison: ReturnType<typeof compareReports>, width = 80): string =>
  renderText(comparison, { width, colors: pico.createColors(false) })

const constant = (m: number, c: number): number[] => Array.from({ length: m }, () => c)

const HOSTILE =
  '\u001b[31mred\u001b]0;t\u0007 <script>alert(1)</script> `x` | @team #12 [a](javascript:1) \u202egnp'

const hostile = fakeSide(
  { [HOSTILE]: passes(9, 10), [`${HOSTILE} 2`]: passes(3, 10), other: passes(5, 10) },
  { subject: HOSTILE, suite: HOSTILE },
)
const hostileLater = fakeSide(
  { [HOSTILE]: passes(1, 10), [`${HOSTILE} 3`]: passes(9, 10), other: { scores: [1], hash: 'x' } },
  { subject: `${HOSTILE}!`, suite: HOSTILE },
)

/** Returns `graded` as a regrade of the run `side`, so that both count as the same answers. */
const regradeOf = (side: Report, graded: Report): Report => ({
  ...graded,
  run: { ...graded.run, id: 'another' },
  provenance: { ...graded.provenance, regrades: { id: side.run.id, folder: 'r' } },
})

describe('a run and its own regrade', () => {
  const before = fakeSide({ a: [1, 0], b: [1, 1], c: [0, 0] })
  const graded = fakeSide({ a: [1, 1], b: [1, 0], c: { scores: [0, 0], hash: 'other graders' } })
  const flat = (a: Report, b: Report): string =>
    text(compareReports(a, b, { gate: 'statistical' })).replaceAll(/\s+/g, ' ')

  it('are compared by what changed, and are not undecided', () => {
    const said = flat(before, regradeOf(before, graded))
    expect(said).toContain(
      'REGRADED The same answers, graded again: 2 of 3 cases changed, 1 for the better and 1 for the worse. The mean score stayed at 0.500.',
    )
    expect(said).not.toMatch(/undecided|NOT DECIDED|inconclusive|not comparable/u)
    expect(flat(before, regradeOf(before, before))).toContain('no score of 3 cases changed')
    const markdown = renderMarkdown(compareReports(before, regradeOf(before, graded)))
    expect(markdown).toContain('**REGRADED**')
  })

  it('fail a gate by a drop that is beyond the margin, without chance', () => {
    const worse = regradeOf(before, fakeSide({ a: [0, 0], b: [1, 1], c: [0, 0] }))
    const { gates, outcome } = compareReports(before, worse, { gate: 'statistical' })
    expect([gates[0]?.status, outcome.code]).toEqual(['failed', 1])
  })

  it('leave the verdict to statistics where judges graded, or answers are missing', () => {
    const less = regradeOf(before, fakeSide({ a: [1], b: [1, 1], c: [0, 0] }))
    expect(compareReports(before, less).pairs[0]?.metrics[0]?.verdict).toBe('inconclusive')
  })
})

describe('figures that look alike', () => {
  it('never fell from $0.0022 to $0.0022', () => {
    const cost = (usd: number): Report =>
      fakeSide(
        Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [id, { scores: [1, 1], usd }])),
      )
    const said = text(compareReports(cost(0.00224), cost(0.00218), { metric: 'costOfPass' }))
    expect(said.replaceAll(/\s+/g, ' ')).toContain('fell from $0.00224 to $0.00218')
    const near = text(
      compareReports(cost(0.0022), cost(0.0022 * (1 + 1e-9)), { metric: 'costOfPass' }),
    )
    expect(near.replaceAll(/\s+/g, ' ')).toContain('stayed at $0.0022')
  })
})

describe('an interval that is clear of zero', () => {
  it('and called inconclusive is explained', () => {
    const side = (n: number): Report =>
      fakeSide({ a: passes(n, 40), b: passes(n - 1, 40), c: passes(n, 40), d: passes(n + 1, 40) })
    const other = fakeSide({
      a: passes(6, 40),
      b: passes(6, 40),
      c: passes(7, 40),
      d: passes(5, 40),
    })
    const comparison = compareReports(side(38), other, { target: 'population' })
    expect(comparison.pairs[0]?.metrics[0]).toMatchObject({ verdict: 'inconclusive' })
    expect(text(comparison).replaceAll(/\s+/g, ' ')).toContain(
      'The mean score is inconclusive though its interval excludes 0: there are fewer than 5 independent cases.',
    )
  })
})

describe('the text', () => {
  it('says what happened in a sentence that can be acted on', () => {
    const good = sideOf(10, constant(20, 9))
    const worse = sideOf(10, constant(20, 6))
    const many = sideOf(100, constant(20, 95))
    const few = sideOf(5, constant(10, 4))
    const flat = (a: typeof good, b: typeof good): string =>
      text(compareReports(a, b, { gate: 'statistical' })).replaceAll(/\s+/g, ' ')
    expect(flat(good, worse)).toContain(
      'REGRESSION The mean score fell from 0.900 to 0.600. A change of 0.3 is beyond the margin of 0.05 and more than chance explains: look at the cases below before you accept it.',
    )
    expect(flat(worse, good)).toContain('IMPROVEMENT The mean score rose from 0.600 to 0.900.')
    expect(flat(many, many)).toContain(
      'NO REGRESSION The mean score stayed at 0.950. If it got worse at all, then by less than the margin of 0.05.',
    )
    expect(flat(few, few)).toMatch(
      /NOT DECIDED The mean score stayed .* but anything from −0\.\d+ to \+0\.\d+ fits what was seen\. About [\d,]+ more trials of each case on both sides \([\d,]+ more trials in all, about \$[\d.]+\) would probably settle it\./,
    )
    expect(flat(few, few)).toContain('no gate failed, 1 of 1 undecided')
    expect(flat(good, worse)).toContain('failed: 1 gate of 1 failed')
  })

  it('fits 80 columns and holds nothing that a terminal would act on', () => {
    for (const comparison of [
      compareReports(hostile, hostileLater, { gate: 'statistical' }),
      compareReports(joined(hostile, sideOf(3, [1, 2])), joined(hostile, sideOf(3, [3, 0]))),
      compareReports(sideOf(1, [1]), sideOf(1, [0]), {
        gate: 'statistical',
        gates: [
          { metric: 'costOfPass', subject: null, rule: { kind: 'max', bound: 1 } },
          { metric: 'passRate', subject: null, rule: { kind: 'min', bound: 0.5 } },
        ],
      }),
      compareReports(fakeSide({ a: [1] }), fakeSide({ b: [1] })),
    ])
      for (const width of [80, 120]) {
        const shown = text(comparison, width)
        for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(width)
        // oxlint-disable-next-line no-control-regex
        expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      }
  })

  it('says that few trials cannot prove a single case', () => {
    const one = (n: number): string =>
      text(compareReports(sideOf(n, constant(20, n)), sideOf(n, [0, ...constant(19, n)])))
    expect(one(4)).toContain('cannot prove that any one of these cases changed')
    expect(one(12)).not.toContain('cannot prove')
  })

  it('says of each measure what its interval is about', () => {
    const about = (a: Report, b: Report, target: 'fixed' | 'population' = 'fixed'): string =>
      text(compareReports(a, b, { target })).replaceAll(/\s+/g, ' ')
    const often = sideOf(10, [9, 8, 7, 9, 6, 5])
    expect(about(often, sideOf(10, [8, 9, 7, 9, 6, 5]))).toContain(
      'Intervals of scores and rates: exactly these cases, tried again. Of cost and time: cases like these',
    )
    const once = about(sideOf(1, [1, 0, 1, 1, 0, 1]), sideOf(1, [1, 1, 0, 1, 0, 0]))
    expect(once).toContain('Intervals of scores and rates: cases like these, as some cases have')
    expect(once).not.toContain('tried again')
    // With three trials, a case has only one value of pass^3, so its variation within the case is unknown. The
    // variation of the mean score is known.
    const three = about(sideOf(3, [3, 2, 3, 1, 0, 3]), sideOf(3, [1, 2, 3, 3, 0, 1]))
    expect(three).toContain('Intervals of mean score and pass rate: exactly these cases')
    expect(three).toContain('Intervals of pass^3: cases like these')
    expect(about(often, often, 'population')).toContain(
      'Intervals of scores and rates: cases like these. ',
    )
  })

  it('says that cases left out here count in the reports', () => {
    const [a, b] = [fakeSide({ x: [1, 0], y: [1, 1] }), fakeSide({ x: [1, 0], z: [1, 1] })]
    expect(text(compareReports(a, b)).replaceAll(/\s+/g, ' ')).toContain(
      '1 case on both sides. All figures are over these; the reports’ own also count the 2 cases left out here.',
    )
  })

  it('has as many digits as it takes to tell a change from the threshold', () => {
    const [a, b] = [fakeSide({ x: [0.9], y: [0.5] }), fakeSide({ x: [0.8499], y: [0.4] })]
    for (const shown of [text(compareReports(a, b)), renderMarkdown(compareReports(a, b))]) {
      expect(shown).toMatch(/0\.9000[ |]+0\.8499[ |]+−0\.0501/)
      expect(shown).toMatch(/0\.500[ |]+0\.400[ |]+−0\.100/)
    }
    const many = constant(400, 0)
    const side = (score: number): Report =>
      fakeSide(Object.fromEntries(many.map((_, i) => [`c${i}`, [score, score]])))
    expect(
      text(compareReports(side(0.9), side(0.8499), { gate: 'statistical' })).replaceAll(
        /\s+/g,
        ' ',
      ),
    ).toContain('fell from 0.9000 to 0.8499. A change of 0.0501 is beyond the margin of 0.05')
  })

  it('shows one p where all cases agree', () => {
    const shown = text(compareReports(sideOf(10, constant(10, 9)), sideOf(10, constant(10, 8))))
    expect(shown).toContain('cases like these?   p 0.002, all cases agree')
    expect(shown).not.toContain('without assumptions')
  })

  it('names who is where instead of cases, where no subject is on both sides', () => {
    const two = (x: string, y: string): Report =>
      joined(sideOf(3, [3], { subject: x }), sideOf(3, [1], { subject: y }))
    const comparison = compareReports(two('a', 'b'), two('c', HOSTILE))
    for (const shown of [text(comparison), renderMarkdown(comparison)]) {
      expect(shown).toContain('no subject is on both sides')
      expect(shown).not.toMatch(/unchanged|removed|new:/)
      expect(shown).not.toContain('\u001b')
    }
  })

  it('stamps what is simulated', () => {
    const simulated = sideOf(2, [1, 2], { source: 'simulated' })
    expect(text(compareReports(simulated, simulated))).toContain('SIMULATED')
  })
})

describe('the words', () => {
  const worse = compareReports(sideOf(10, constant(20, 9)), sideOf(10, constant(20, 6)), {
    gate: 'statistical',
    failOnRegression: true,
  })

  it('call a regression a regression, in text and Markdown', () => {
    const said = text(worse)
    expect(said).toContain('REGRESSION  The mean score fell')
    expect(said).toContain('20 regressions, by more than 0.05')
    expect(said).toContain('failed: 1 gate of 1 failed: regression')
    expect(said.replaceAll('\n', ' ')).toContain('failed: 20 regressions: 20 cases dropped')
    const markdown = renderMarkdown(worse)
    expect(markdown).toMatch(/^## Assay: failed, regression\n/)
    expect(markdown).toContain('🔴 **REGRESSION**')
    expect(markdown).toContain('20 regressions, by more than 0.05')
    expect(
      renderMarkdown(compareReports(sideOf(10, constant(20, 9)), sideOf(10, constant(20, 6)))),
    ).toMatch(/^## Assay: regression\n/)
  })

  it('say that a regression without a gate does not change the exit code', () => {
    const hint = 'no gate was asked for, so the exit code is 0'
    const [good, bad] = [sideOf(10, constant(20, 9)), sideOf(10, constant(20, 6))]
    expect(text(compareReports(good, bad)).replaceAll('\n', ' ')).toContain(hint)
    expect(text(compareReports(bad, good))).not.toContain(hint)
    expect(text(worse)).not.toContain(hint)
  })

  it('name the exact test for its question', () => {
    expect(text(worse)).toMatch(/^Any change at all on these cases\? +p < 0\.001$/m)
    expect(renderMarkdown(worse)).toContain('- Any change at all on these cases? p')
  })

  it('say nothing of prices where the runs share no case', () => {
    const none = compareReports(fakeSide({ a: [1] }), fakeSide({ b: [1] }))
    for (const said of [text(none), renderMarkdown(none), JSON.stringify(none)])
      expect(said).not.toMatch(/price/)
    expect(text(none)).toContain('no case is scored on both sides')
    expect(none.outcome.code).toBe(3)
  })

  it('have simultaneous intervals where verdicts are counted together, and the p of each interval', () => {
    const [, ...others] = worse.pairs[0]?.metrics ?? []
    for (const { interval, together, p } of others.filter((one) => one.interval !== null)) {
      expect(together?.low).toBeLessThan(interval?.low ?? 0)
      expect((p ?? 1) < 0.05).toBe((interval?.low ?? 0) > 0 || (interval?.high ?? 0) < 0)
    }
    expect(text(worse).replaceAll('\n', ' ')).toMatch(/by simultaneous intervals: pass rate −/)
    expect(renderMarkdown(worse)).toContain('all verdicts counted: simultaneous interval')
  })
})

describe('a gate that is not decided', () => {
  const decided = (
    a: Report,
    b: Report,
    metric: 'meanScore' | 'costOfPass' | 'passHatK' = 'meanScore',
  ) => {
    const comparison = compareReports(a, b, { gate: 'statistical', metric })
    expect(comparison.gates[0]?.status).toBe('undecided')
    return text(comparison).replaceAll('\n', ' ')
  }

  it('says what would decide it, or why nothing would', () => {
    expect(decided(sideOf(5, [5, 4, 3, 5, 4, 2]), sideOf(5, [4, 4, 4, 4, 4, 2]))).toMatch(
      /settling it would take [\d,]+ more trials of each case/,
    )
    expect(decided(sideOf(5, [5, 4, 3, 5, 4, 2]), sideOf(5, [5, 3, 5, 5, 3, 2]))).toMatch(
      /About [\d,]+ more (trials|cases) .* would probably settle it/,
    )
    expect(decided(sideOf(5, [5]), sideOf(5, [4]))).toMatch(/About \d+ more trials of each case/)
    expect(decided(fakeSide({ a: [1] }), fakeSide({ a: [0] }))).toMatch(/About \d+ more cases/)
    const priced = (usd: number) =>
      fakeSide(
        Object.fromEntries(
          ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, { scores: [1, 1], usd }]),
        ),
      )
    expect(decided(priced(1), priced(2), 'costOfPass')).toContain(
      'only cases that differ would show how far it can vary',
    )
    const free = fakeSide({ a: { scores: [1, 1], usd: null } })
    expect(decided(free, free, 'costOfPass')).toContain('prices are unknown')
  })
})

describe('the Markdown', () => {
  it('has the verdict first, the table, and details to unfold', () => {
    const shown = renderMarkdown(
      compareReports(sideOf(10, constant(20, 9)), sideOf(10, constant(20, 6)), {
        gate: 'statistical',
      }),
    )
    const lines = shown.split('\n')
    expect(lines[0]).toBe('## Assay: failed, regression')
    expect(shown.indexOf('**REGRESSION**')).toBeLessThan(shown.indexOf('| measure |'))
    expect(shown.indexOf('| measure |')).toBeLessThan(shown.indexOf('<details>'))
    expect(shown).toContain('<summary>20 regressions, by more than 0.05</summary>')
    expect(shown).toContain('1 gate of 1 failed')
  })

  it('lets no name format, link, mention or leave its cell', () => {
    const shown = renderMarkdown(compareReports(hostile, hostileLater, { gate: 'statistical' }))
    for (const mark of ['<script', '`x`', '@team', ' #12', '](', 'javascript:', '\u001b', '\u202e'])
      expect(shown).not.toContain(mark)
    // Outside of code, GitHub finds mentions after it has resolved character references, so a zero-width space must
    // follow the @.
    const prose = shown.replaceAll(/<code>.*?<\/code>/g, '')
    expect(prose).toContain('&#64;&#8203;team')
    expect(prose).not.toMatch(/&#64;[a-z]|&#35;\d/)
    // Every row of a table must have as many cells as the header of the table.
    let wanted = 0
    for (const line of shown.split('\n')) {
      if (!line.startsWith('|')) wanted = 0
      else if (wanted === 0) wanted = line.split('|').length
      else expect(line.split('|')).toHaveLength(wanted)
    }
  })

  it('claims gates only where there are some', () => {
    const run = sideOf(100, constant(20, 95))
    expect(renderMarkdown(compareReports(run, run))).toContain('## Assay: comparison')
    expect(renderMarkdown(compareReports(run, run, { gate: 'statistical' }))).toContain(
      '## Assay: gates hold',
    )
  })
})

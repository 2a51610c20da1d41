/** Tables of pass@k and pass^k for docs/reference/formulas.md, computed by the library. */
import { passAtK, passHatKUnbiased, passToTheK } from '@assay/metrics'

const TRIALS = [5, 10] as const
const KS: Readonly<Record<number, readonly number[]>> = {
  5: [1, 2, 3, 4, 5],
  10: [1, 2, 3, 5, 8, 10],
}
const RATES = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99] as const
const POWERS = [1, 2, 3, 5, 8, 10] as const

const HEAD = `## Lookup tables

What pass@k and pass^k are for given results. \`passAtK(n, c, k)\` is the chance that at least one of k trials passes, and
\`passToTheK(p, k)\` the chance that all k pass at a pass rate of p. \`passHatKUnbiased(n, c, k)\` is the unbiased estimate of
the latter from c passes in n trials: it is what Assay shows as pass^k, with p^k under its own name next to it.
`

export function lookupTables(): string {
  return [
    HEAD,
    ...TRIALS.flatMap((n) => [
      ...byPasses(`pass@k of ${n} trials`, 'passAtK', n, passAtK),
      ...byPasses(`pass^k of ${n} trials, unbiased`, 'passHatKUnbiased', n, passHatKUnbiased),
    ]),
    '### pass^k = p^k',
    '',
    '`passToTheK(p, k)`',
    '',
    ...table(
      ['p', ...POWERS.map((k) => `k = ${k}`)],
      RATES.map((p) => [`${100 * p} %`, ...POWERS.map((k) => figure(passToTheK(p, k)))]),
    ),
    '',
  ].join('\n')
}

function byPasses(
  title: string,
  name: string,
  n: number,
  value: (n: number, c: number, k: number) => number,
): string[] {
  const ks = KS[n] ?? []
  return [
    `### ${title}`,
    '',
    `\`${name}(${n}, c, k)\``,
    '',
    ...table(
      ['c', ...ks.map((k) => `k = ${k}`)],
      Array.from({ length: n + 1 }, (_, c) => [
        `${c} of ${n}`,
        ...ks.map((k) => figure(value(n, c, k))),
      ]),
    ),
    '',
  ]
}

/** Formats a value with four decimals. A value that would round to 0 or 1 is written as `< 0.0001` or `> 0.9999`. */
function figure(value: number): string {
  if (value === 0 || value === 1) return String(value)
  const text = value.toFixed(4)
  return text === '0.0000' ? '< 0.0001' : text === '1.0000' ? '> 0.9999' : text
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '--:|').join('')}`,
  ...rows.map((cells) => `| ${cells.join(' | ')} |`),
]

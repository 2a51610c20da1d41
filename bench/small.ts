/**
 * Measures small runs: what a solution costs in a run of 10 solutions and in a run of 200, including everything
 * that the run starts. For comparison, the plain tools run on the same 10 solutions. A run of 10 takes only two
 * seconds, so it is repeated. The pipelines of plain tools run between the repetitions.
 */
import { figure, graded, samplesOf, sum, type Spent } from './graded.ts'
import { runNaive, type Naive } from './naive/pipeline.ts'
import { endlessOf, loadBasics, someAnswers, type LanguageName } from './shipped.ts'

export const SMALL_SIZES = [10, 200] as const
type Size = (typeof SMALL_SIZES)[number]

/** The targets: the most CPU milliseconds per solution, by language and by the number of solutions in the run. */
const MOST_MS: Record<LanguageName, Record<Size, number>> = {
  typescript: { 10: 110, 200: 60 },
  python: { 10: 70, 200: 15 },
  rust: { 10: 280, 200: 200 },
}
/** How often each size is measured in a row. This happens once before and once after the plain tools run. */
const TURNS: Record<Size, number> = { 10: 3, 200: 1 }

interface Found {
  readonly lines: string[]
  readonly missed: string[]
}

export async function smallRuns(naive: Naive, sizes: readonly Size[]): Promise<Found> {
  const language = naive.language as LanguageName
  const suite = await loadBasics(language)
  const { verdicts } = await graded('rounds', language, 1, [])
  const endless = endlessOf(verdicts)
  const runs = new Map<Size, Spent[]>(sizes.map((size) => [size, []]))
  const turn = async (): Promise<void> => {
    for (const size of sizes)
      for (let at = 0; at < TURNS[size]; at++)
        runs.get(size)?.push(await graded('some', language, size, [...endless]))
  }
  await turn()
  const chosen = new Set(someAnswers(suite, 10, endless).map(([id]) => id))
  const samples = (await samplesOf(language)).filter(({ id }) => chosen.has(id))
  const plain = await runNaive(naive, samples, endless)
  await turn()
  const missed: string[] = []
  const lines = [
    `| ${language}, small runs | CPU ms per solution: median (least, most) | wall ms of the run | wanted |`,
    '|---|---|---|---|',
  ]
  for (const [size, spent] of runs) {
    const each = spent.map(({ allMs }) => allMs / size).toSorted((a, b) => a - b)
    const middle = each[Math.floor(each.length / 2)] ?? Number.NaN
    const walls = spent.map(({ allWallMs }) => allWallMs).toSorted((a, b) => a - b)
    const most = MOST_MS[language][size]
    if (!(middle <= most))
      missed.push(
        `${language}, ${size} solutions: ${figure(middle)} CPU ms, at most ${most} wanted`,
      )
    lines.push(
      `| ${size} solutions, ${spent.length} runs | ${figure(middle)} (${figure(each[0] ?? 0)}, ${figure(each.at(-1) ?? 0)}) | ${figure(walls[Math.floor(walls.length / 2)] ?? 0)} | at most ${most} |`,
    )
    for (const one of spent)
      for (const [id, verdict] of Object.entries(one.verdicts))
        if (verdict.passed !== verdicts[id]?.passed || verdict.score !== verdicts[id].score)
          missed.push(`${language}, ${id}: another verdict in a small run: ${verdict.reason}`)
  }
  for (const { name, commands } of naive.pipelines) {
    const parts = commands.map((command) => plain.cpuMs.get(command) ?? Number.NaN)
    lines.push(
      `| ${name}, the same 10 | ${figure(sum(parts, (part) => part))} (${parts.map(figure).join(' + ')}) | | |`,
    )
  }
  for (const { id } of samples)
    if (plain.passed.get(id) !== verdicts[id]?.passed)
      missed.push(
        `${language}, ${id}: another verdict by the plain tools: ${plain.said.get(id) ?? ''}`,
      )
  return { lines, missed }
}

/**
 * Checks that concurrency does not change verdicts. The answers of the shipped suites are graded one at a time and
 * sixteen at a time, again and again. Verdict, score and reason must always be the same. Endless answers use their
 * whole time limit, so they are graded only twice. Part of `npm run proof`; alone: `npx node bench/agreement.ts
 * [rounds] [language…]`.
 */
import {
  endlessOf,
  LANGUAGES,
  loadBasics,
  openGrading,
  without,
  type LanguageName,
  type Verdicts,
} from './shipped.ts'

const AT_ONCE = [1, 16] as const
const ROUNDS = 20
const ENDLESS_ROUNDS = 2

/** Formats the compared parts of a grade in one line: verdict, score and reason. */
const shown = (verdicts: Verdicts, id: string): string => {
  const { passed, score, reason } = verdicts[id] ?? {}
  return `${passed ? 'passed' : 'failed'}, score ${score ?? 'none'}${reason ? `, ${reason}` : ''}`
}

async function agreement(language: LanguageName, rounds: number): Promise<string[]> {
  const whole = await loadBasics(language)
  const grading = await openGrading([whole])
  const wrong: string[] = []
  let first: Verdicts | null = null
  let graded = 0
  const seconds = new Map<number, number>()
  try {
    for (let round = 1; round <= rounds; round++)
      for (const atOnce of AT_ONCE) {
        const isWhole: boolean = first === null || round <= ENDLESS_ROUNDS
        const suite = isWhole ? whole : without(whole, endlessOf(first ?? {}))
        const began = performance.now()
        const verdicts = await grading.grade(suite, atOnce)
        const took = (performance.now() - began) / 1000
        if (!isWhole || rounds <= ENDLESS_ROUNDS)
          seconds.set(atOnce, (seconds.get(atOnce) ?? 0) + took)
        graded += Object.keys(verdicts).length
        first ??= verdicts
        for (const id of Object.keys(verdicts)) {
          const [here, there] = [shown(verdicts, id), shown(first, id)]
          if (here !== there)
            wrong.push(
              `${language}, ${id}, round ${round}, ${atOnce} at once: ${here}; ${there} in the first`,
            )
        }
      }
  } finally {
    await grading.close()
  }
  const verdicts = first ?? {}
  const unproven = Object.keys(verdicts).filter(
    (id) => verdicts[id]?.passed !== id.endsWith(' reference'),
  )
  const took = AT_ONCE.map((atOnce) => `${(seconds.get(atOnce) ?? 0).toFixed(0)} s`).join(', ')
  console.log(
    `| ${language} | ${Object.keys(verdicts).length} | ${endlessOf(verdicts).size} | ${rounds} | ${graded} | ${wrong.length} | ${took} |`,
  )
  return [...wrong, ...unproven.map((id) => `${language}, ${id}: ${shown(verdicts, id)}`)]
}

const words = process.argv.slice(2)
const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? ROUNDS)
const asked = LANGUAGES.filter((language) => words.includes(language))
console.log(
  '| suite | answers | of them endless (twice only) | rounds at 1 and at 16 | graded | differing | wall at 1, at 16 without the endless |',
)
console.log('|---|---|---|---|---|---|---|')
const missed: string[] = []
for (const language of asked.length === 0 ? LANGUAGES : asked)
  missed.push(...(await agreement(language, rounds)))
for (const line of missed) console.log(line)
process.exitCode = missed.length === 0 ? 0 : 1

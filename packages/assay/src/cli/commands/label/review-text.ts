/** Formats the figures of a review for a terminal. */
import { plain } from '@assay/contract'
import {
  correctionWords,
  kappaWords,
  raterName,
  type RaterFigures,
  type ReviewerFigures,
  type ReviewFigures,
} from '../../../report/view-data/index.ts'
import { counted, percent, table, wrap, type Column } from '../../../text/index.ts'

const left = (title: string): Column => ({ title, align: 'left' })
const right = (title: string): Column => ({ title, align: 'right' })

export function reviewLines({ reviewers, agreement }: ReviewFigures, width: number): string[] {
  return [
    ...(agreement.length === 0
      ? []
      : [
          'Do people agree?',
          ...table(
            [left('people'), right('same verdict'), left("Cohen's kappa")],
            agreement.map(({ a, b, n, same, kappa }) => [
              plain(`${a} and ${b}`),
              n === 0 ? 'no trial in common' : `${same} of ${n}`,
              kappaWords(kappa),
            ]),
            width,
          ),
          '',
        ]),
    ...reviewers.flatMap((one) => [
      plain(aboutReviewer(one)),
      ...one.raters.flatMap((rater) => raterLines(rater, width)),
      '',
    ]),
  ].slice(0, -1)
}

const aboutReviewer = (one: ReviewerFigures): string =>
  [
    `By the labels of ${one.reviewer}: ${one.pass} pass, ${one.fail} fail, ${one.unsure} unsure`,
    `${one.blind} blind`,
    ...(one.chosen === 0 ? [] : [`${one.chosen} of chosen trials, which correct no rate`]),
    ...(one.outdated === 0
      ? []
      : [`${one.outdated} of answers that were replaced, which do not count`]),
  ].join('; ')

function raterLines(rater: RaterFigures, width: number): string[] {
  const { suite, confusion, kappa, basis, subjects, notes } = rater
  const { bothPass, onlyPerson, onlyJudge, bothFail } = confusion
  return [
    '',
    plain(`${raterName(rater)} on ${suite}: Cohen’s kappa ${kappaWords(kappa)}`),
    ...table(
      [left(''), right('judged pass'), right('judged fail'), right('judged right')],
      [
        ['person: pass', String(bothPass), String(onlyPerson), share(bothPass, onlyPerson)],
        ['person: fail', String(onlyJudge), String(bothFail), share(bothFail, onlyJudge)],
      ],
      width,
    ),
    ...table(
      [left('subject'), right('as judged'), right('corrected'), right('95 % interval')],
      subjects.map(({ subject, observed, corrected: { value, interval } }) => [
        plain(subject),
        `${observed.c}/${observed.n}`,
        value === null ? '–' : percent(value),
        interval === null ? '–' : `${percent(interval.low)}–${percent(interval.high)}`,
      ]),
      width,
    ),
    ...[
      `the corrected rates rest on ${counted(basis, 'label')} of trials that came up at random, of all subjects together`,
      ...subjects.flatMap(({ subject, corrected }) => {
        const words = correctionWords(corrected)
        return words === '' ? [] : [plain(`${subject}: ${words}`)]
      }),
      ...notes,
    ].flatMap((line) => wrap(line, width)),
  ]
}

const share = (correct: number, wrong: number): string =>
  correct + wrong === 0 ? '–' : percent(correct / (correct + wrong))

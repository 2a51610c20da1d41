/** Situations whose truth is planted, and the sentence with which every summary of them must begin. */
import type { Report } from '../src/report/index.ts'
import { passes, planted, same, type PlantedCase, type PlantedSubject } from './planted-report.ts'

const mixed = (m: number, c: number): number[] =>
  Array.from({ length: m }, (_, i) => c + (i % 3) - 1)

/** Another mix with about the same mean. */
const other = (m: number, c: number): number[] =>
  Array.from({ length: m }, (_, i) => c + ((i * 7) % 5 > 2 ? 1 : -1) + (i % 2))

/** Cases that a subject was not tried on. */
const none = (m: number): PlantedCase[] => same(m, 0, 0)

const alone: PlantedSubject = { cases: passes(5, 5, 4, 3, 5, 2, 4, 5, 5), usd: 0.02 }

export const situations: Readonly<Record<string, () => Report>> = {
  'a clear difference': () =>
    planted({
      a: { cases: passes(10, ...mixed(20, 9)), usd: 0.02 },
      b: { cases: passes(10, ...other(20, 5)) },
    }),
  'the better one is planned last': () =>
    planted({
      b: { cases: passes(10, ...other(20, 5)) },
      a: { cases: passes(10, ...mixed(20, 9)), usd: 0.02 },
    }),
  undecided: () =>
    planted({
      a: { cases: passes(5, 5, 3, 4, 2, 5, 1, 4, 3) },
      b: { cases: passes(5, 4, 4, 2, 3, 4, 2, 3, 3) },
    }),
  'undecided, and more trials cannot decide it': () =>
    planted({
      a: { cases: passes(10, 10, 0, 10, 10, 0, 10) },
      b: { cases: passes(10, 0, 10, 10, 0, 0, 10) },
    }),
  'no verdict varies between the trials of a case': () =>
    planted({
      a: { cases: same(8, 2, 2) },
      b: { cases: [...same(5, 2, 2), ...same(3, 2, 0)] },
    }),
  'a tie': () =>
    planted({
      a: { cases: passes(5, 5, 3, 4, 2, 5) },
      b: { cases: passes(5, 3, 5, 2, 4, 5), usd: 0.02 },
    }),
  'no difference on any case': () =>
    planted({ a: { cases: same(6, 4, 3) }, b: { cases: same(6, 4, 3) } }),
  'cheaper and equal': () =>
    planted({
      a: { cases: passes(20, ...mixed(120, 17)), usd: 0.03 },
      b: { cases: passes(20, ...mixed(120, 17)), usd: 0.01 },
    }),
  'better on exactly these cases only': () =>
    planted({
      a: { cases: passes(20, 20, 20, 19, 20, 6, 20) },
      b: { cases: passes(20, 18, 2, 18, 20, 6, 20) },
    }),
  'three cases are too few': () =>
    planted({ a: { cases: passes(20, 20, 19, 20) }, b: { cases: passes(20, 2, 1, 2) } }),
  'three subjects, one best': () =>
    planted({
      a: { cases: passes(10, ...mixed(20, 2)) },
      b: { cases: passes(10, ...mixed(20, 9)) },
      c: { cases: passes(10, ...other(20, 5)) },
    }),
  'three subjects, two alike': () =>
    planted({
      a: { cases: passes(10, ...mixed(12, 8)) },
      b: { cases: passes(10, ...mixed(12, 2)) },
      c: { cases: passes(10, 9, 8, 6, 9, 7, 8, 6, 8, 7, 9, 8, 7) },
    }),
  'five subjects, all alike': () =>
    planted(
      Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map((name, i) => [
          name,
          { cases: passes(4, ...[3, 2, 4, 1, 3, 2].map((c, j) => (c + i * j) % 5)) },
        ]),
      ),
    ),
  'one case': () => planted({ a: { cases: passes(20, 18) }, b: { cases: passes(20, 8) } }),
  'one case with one trial': () =>
    planted({ a: { cases: passes(1, 1) }, b: { cases: passes(1, 0) } }),
  'one case, not decided': () =>
    planted({ a: { cases: passes(4, 3) }, b: { cases: passes(4, 2) } }),
  'one case whose verdict never varies': () =>
    planted({ a: { cases: same(1, 2, 2) }, b: { cases: same(1, 2, 0) } }),
  groups: () =>
    planted(
      { a: { cases: passes(5, ...mixed(12, 4)) }, b: { cases: passes(5, ...mixed(12, 2)) } },
      { groups: ['x', 'x', 'x', 'y', 'y', 'y', 'z', 'z', 'z', 'w', 'w', 'w'] },
    ),
  'one group': () =>
    planted(
      { a: { cases: passes(1, 1, 1, 0, 1) }, b: { cases: passes(1, 0, 1, 0, 0) } },
      { groups: ['x', 'x', 'x', 'x'] },
    ),
  'missing trials and cases': () =>
    planted({
      a: { cases: [...passes(10, ...mixed(10, 8)), { n: 0, c: 0, errored: 10 }] },
      b: {
        cases: [
          ...passes(10, ...mixed(10, 4)).slice(0, 9),
          { n: 6, c: 2, notRun: 4 },
          { n: 10, c: 5 },
        ],
      },
    }),
  'one subject': () => planted({ a: alone }),
  'one subject on one case': () => planted({ a: { cases: passes(10, 9) } }),
  'no prices': () =>
    planted({
      a: { cases: passes(10, ...mixed(20, 9)), usd: null },
      b: { cases: passes(10, ...other(20, 5)), usd: null },
    }),
  'one never passes': () =>
    planted({ a: { cases: passes(10, ...mixed(8, 7)) }, b: { cases: same(8, 10, 0), usd: 0.05 } }),
  'all unscored': () =>
    planted({
      a: { cases: [{ n: 0, c: 0, unscored: 5 }] },
      b: { cases: [{ n: 0, c: 0, unscored: 5 }] },
    }),
  'all errored': () =>
    planted({
      a: { cases: [{ n: 0, c: 0, errored: 5 }] },
      b: { cases: [{ n: 0, c: 0, errored: 3, notRun: 2 }] },
    }),
  'one subject errored altogether': () =>
    planted({
      a: alone,
      b: { cases: Array.from({ length: 8 }, () => ({ n: 0, c: 0, errored: 5 })) },
    }),
  'few cases in common': () =>
    planted({
      a: { cases: [...passes(1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0), ...none(9)] },
      b: { cases: [...none(7), ...passes(1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0)], usd: 0.02 },
    }),
  'no case in common, a clear difference': () =>
    planted({
      a: { cases: [...passes(5, ...mixed(20, 2)), ...none(15)] },
      b: { cases: [...none(20), ...passes(5, ...mixed(15, 4))] },
    }),
  'no case in common, equal': () =>
    planted({
      a: { cases: [...passes(20, ...mixed(120, 10)), ...none(120)] },
      b: { cases: [...none(120), ...passes(20, ...mixed(120, 10))], usd: 0.02 },
    }),
  'no case in common, in groups': () =>
    planted(
      {
        a: { cases: [...passes(5, ...mixed(10, 2)), ...none(12)] },
        b: { cases: [...none(10), ...passes(5, ...other(12, 3))] },
      },
      { groups: Array.from({ length: 22 }, (_, i) => `g${i >> 1}`) },
    ),
  'no case in common, too few to tell': () =>
    planted({
      a: { cases: [...passes(20, 20, 19, 20), ...none(3)] },
      b: { cases: [...none(3), ...passes(20, 2, 1, 2)] },
    }),
  'three subjects, one with other cases': () =>
    planted({
      a: { cases: [...passes(10, ...mixed(20, 9)), ...none(20)] },
      b: { cases: [...passes(10, ...other(20, 5)), ...none(20)] },
      c: { cases: [...none(20), ...passes(10, ...mixed(20, 8))] },
    }),
  'no case in common': () =>
    planted({
      a: {
        cases: [
          { n: 5, c: 4 },
          { n: 0, c: 0, errored: 5 },
        ],
      },
      b: {
        cases: [
          { n: 0, c: 0, errored: 5 },
          { n: 5, c: 2 },
        ],
      },
    }),
  simulated: () =>
    planted({
      a: { cases: same(8, 5, 4), source: 'simulated' },
      b: { cases: passes(5, ...mixed(8, 2)), source: 'simulated' },
    }),
}

/** What Assay said when it was written, read once by a person. A change of the words needs a change here, on purpose. */
export const sentences: Readonly<Record<string, string>> = {
  'a clear difference':
    'a is better than b: it passes 89.5% against 53%, 36.5 points more (95 % interval +27.6 to +44.9 for cases like these, p < 0.001; 20 cases). A pass costs $0.022 against $0.019.',
  'the better one is planned last':
    'a is better than b: it passes 89.5% against 53%, 36.5 points more (95 % interval +27.6 to +44.9 for cases like these, p < 0.001; 20 cases). A pass costs $0.022 against $0.019.',
  undecided:
    'Not decided: a and b pass 67.5% against 62.5%, and any difference from −16.8 to +27 fits (95 % interval for cases like these, p 0.756; 8 cases). About 191 more trials of each case with each subject (3,056 more trials in all, about $30.56) would probably decide it (80 % likely if this is the true difference). A pass costs $0.015 against $0.016.',
  'undecided, and more trials cannot decide it':
    'Not decided: a and b pass 66.7% against 50%, and any difference from −67.6 to +95.7 fits (95 % interval for cases like these, p 0.652; 6 cases). About 155 more cases like these (3,100 more trials in all, about $31.00) would probably decide it (80 % likely if this is the true difference). More trials of these cases would not: no verdict varied between the trials of a case. A pass costs $0.015 against $0.020.',
  'no verdict varies between the trials of a case':
    'a is better than b on exactly these cases: it passes 100% against 62.5%, 37.5 points more (95 % interval +7.1 to +64.6, p 0.013; 8 cases). For cases like these it is not decided (95 % interval −5.8 to +87.3, p 0.080). About 7 more cases like these (28 more trials in all, about $0.28) would probably decide it (80 % likely if this is the true difference). More trials of these cases would not: no verdict varied between the trials of a case. A pass costs $0.010 against $0.016.',
  'a tie':
    'Not decided: a and b both pass 76%, and any difference from −49.7 to +49.7 fits (95 % interval for cases like these, p 1.000; 5 cases). About 498 more cases like these (4,980 more trials in all, about $74.70) would probably decide it (80 % likely if this is the true difference). A pass costs $0.013 against $0.026.',
  'no difference on any case':
    'Not decided: a and b both pass 75%, and any difference from −45.9 to +45.9 fits (95 % interval for cases like these, p 1.000; 6 cases). About 66 more cases like these (528 more trials in all, about $5.28) would probably decide it (80 % likely if this is the true difference). A pass costs $0.013 against $0.013.',
  'cheaper and equal':
    'b and a are equal within 5 points: they pass 85% against 85% (difference 0, 95 % interval −3 to +3 for cases like these; 120 cases). A pass costs $0.012 against $0.035. b is the cheaper one.',
  'better on exactly these cases only':
    'a is better than b on exactly these cases: it passes 87.5% against 70%, 17.5 points more (95 % interval +10.8 to +24.1, p < 0.001; 6 cases). For cases like these it is not decided (95 % interval −20 to +78.2, p 0.284). About 27 more cases like these (1,080 more trials in all, about $10.80) would probably decide it (80 % likely if this is the true difference). A pass costs $0.011 against $0.014.',
  'three cases are too few':
    'a is better than b on exactly these cases: it passes 98.3% against 8.3%, 90 points more (95 % interval +77.3 to +95.9, p < 0.001; 3 cases). For cases like these it is not decided (95 % interval −44.4 to +97.1, p 0.292). About 3 more cases like these (120 more trials in all, about $1.20) would probably decide it (80 % likely if this is the true difference). A pass costs $0.010 against $0.12.',
  'three subjects, one best':
    'b is the best of 3 subjects: it passes 89.5%, and each of the others less. c is closest, 36.5 points behind (simultaneous 95 % interval +25.6 to +46.6 for cases like these, all 3 pairs counted; 20 cases). A pass costs $0.011 with b, $0.019 with c and $0.051 with a.',
  'three subjects, two alike':
    'a leads 3 subjects with 80%. It is better than b (20%). Not decided: whether it is better than c (76.7%). The two differ by 3.3 points (simultaneous 95 % interval −10.9 to +16.9 for cases like these, all 3 pairs counted; 12 cases). About 302 more trials of each case with these two (7,248 more trials in all, about $72.48) would probably decide it (80 % likely if this is the true difference). A pass costs $0.013 against $0.013.',
  'five subjects, all alike':
    'Not decided which of 5 subjects is best: a passes 62.5%, and b (62.5%), c (62.5%), e (62.5%) and d (20.8%) could be as good. b is closest, level with it (simultaneous 95 % interval −97.4 to +97.4 for cases like these, all 10 pairs counted; 6 cases). About 1,326 more cases like these (26,520 more trials in all, about $265) would probably decide it (80 % likely if this is the true difference). A pass costs $0.016 with a, $0.016 with b and $0.016 with c.',
  'one case':
    'On the one case case-0, a is better than b: it passes 90% against 40%, 50 points more (95 % interval +16.7 to +73.1 for this case tried again, p 0.002). A pass costs $0.011 against $0.025. One case shows how often that case passes and nothing about other cases: only more cases would show that.',
  'one case with one trial':
    'On the one case case-0, a and b pass 100% against 0%. Not decided: one trial does not show how much chance is in it. About 4 more trials of the case with each subject (8 more trials in all, about $0.080) would probably decide it (80 % likely if this is the true difference). A pass costs $0.010 with a. b never passed, at $0.010 a trial. One case shows how often that case passes and nothing about other cases: only more cases would show that.',
  'one case, not decided':
    'On the one case case-0, it is not decided: a and b pass 75% against 50% (95 % interval −52.1 to +77.4 for this case tried again, p 0.956). About 62 more trials of the case with each subject (124 more trials in all, about $1.24) would probably decide it (80 % likely if this is the true difference). A pass costs $0.013 against $0.020. One case shows how often that case passes and nothing about other cases: only more cases would show that.',
  'one case whose verdict never varies':
    'On the one case case-0, it is not decided: a and b pass 100% against 0% (95 % interval −19.1 to +100 for this case tried again, p 0.172). About 3 more trials of the case with each subject (6 more trials in all, about $0.060) would probably decide it (80 % likely if this is the true difference). If a subject always answers the same, its trials show no more than one does. A pass costs $0.010 with a. b never passed, at $0.010 a trial. One case shows how often that case passes and nothing about other cases: only more cases would show that.',
  groups:
    'a is better than b on exactly these cases: it passes 80% against 40%, 40 points more (95 % interval +21 to +56.1, p < 0.001; 12 cases in 4 groups). For cases like these it is not decided (95 % interval −44.3 to +76.1, p 0.521). About 21 more cases like these in 7 more groups (210 more trials in all, about $2.10) would probably decide it (80 % likely if this is the true difference). A pass costs $0.013 against $0.025.',
  'one group':
    'Not decided: a and b pass 75% against 25%, and nothing bounds the difference (4 cases in 1 group). More trials would not decide it, as all cases are of one group: only cases of other groups would. A pass costs $0.013 against $0.040.',
  'missing trials and cases':
    'a is better than b: it passes 79% against 39.3%, 39.7 points more (95 % interval +24.9 to +52.6 for cases like these, p < 0.001; the 10 of 11 cases on which both were scored). A pass costs $0.013 against $0.025. 14 of 220 planned trials have no result: 10 errored, 4 did not run.',
  'one subject':
    'a passes 82.5% of its trials (95 % interval 42% to 99%, for cases like these; 8 cases). A pass costs $0.024. With one subject there is nothing to compare it with.',
  'one subject on one case':
    'a passed 9 of 10 trials of the one case case-0: 90% (95 % interval 53% to >99%, for this case tried again). A pass costs $0.011. One case shows how often that case passes and nothing about other cases: only more cases would show that. With one subject there is nothing to compare it with.',
  'no prices':
    'a is better than b: it passes 89.5% against 53%, 36.5 points more (95 % interval +27.6 to +44.9 for cases like these, p < 0.001; 20 cases). What a pass costs is unknown, as prices are.',
  'one never passes':
    'a is better than b: it passes 68.8% against 0%, 68.8 points more (95 % interval +56.1 to +79 for cases like these, p < 0.001; 8 cases). A pass costs $0.015 with a. b never passed, at $0.050 a trial.',
  'all unscored':
    'Nothing can be said about a and b: no trial was scored (10 unscored, as their cases have no grader).',
  'all errored':
    'Nothing can be said about a and b: no trial was scored (8 errored, 2 did not run).',
  'one subject errored altogether':
    'a passes 82.5% of its trials (95 % interval 42% to 99%, for cases like these; 8 cases). A pass costs $0.024. Nothing of b was scored. 40 of 80 planned trials have no result: 40 errored.',
  'few cases in common':
    'Not decided: b and a pass 83.3% against 50%, and any difference from −11.2 to +67.9 fits (95 % interval for cases like these, p 0.176; as independent groups: they share 3 of 12 and 10 cases). About 21 more cases like these (42 more trials in all, about $0.63) would probably decide it (80 % likely if this is the true difference). A pass costs $0.024 against $0.020. 16 of 38 planned trials have no result: 16 did not run.',
  'no case in common, a clear difference':
    'b is better than a: it passes 80% against 39%, 41 points more (95 % interval +25.5 to +54.2 for cases like these, p < 0.001; as independent groups: they share none of 15 and 20 cases). A pass costs $0.013 against $0.026. 175 of 350 planned trials have no result: 175 did not run.',
  'no case in common, equal':
    'a and b are equal within 5 points: they pass 50% against 50% (difference 0, 95 % interval −2.9 to +2.9 for cases like these; as independent groups: they share none of 120 and 120 cases). A pass costs $0.020 against $0.040. a is the cheaper one. 4,800 of 9,600 planned trials have no result: 4,800 did not run.',
  'no case in common, in groups':
    'b is better than a on exactly these cases: it passes 63.3% against 38%, 25.3 points more (95 % interval +4.7 to +43.8, p 0.015; as independent groups: they share none of 12 and 10 cases in 6 and 5 groups). For cases like these it is not decided (95 % interval −18.2 to +51.3, p 0.319). About 32 more cases like these in 16 more groups (320 more trials in all, about $3.20) would probably decide it (80 % likely if this is the true difference). A pass costs $0.016 against $0.026. 110 of 220 planned trials have no result: 110 did not run.',
  'no case in common, too few to tell':
    'a is better than b on exactly these cases: it passes 98.3% against 8.3%, 90 points more (95 % interval +77.3 to +95.9, p < 0.001; as independent groups: they share none of 3 and 3 cases). For cases like these it is not decided (95 % interval −8.4 to +98.5, p 0.090). About 2 more cases like these (80 more trials in all, about $0.80) would probably decide it (80 % likely if this is the true difference). A pass costs $0.010 against $0.12. 120 of 240 planned trials have no result: 120 did not run.',
  'three subjects, one with other cases':
    'a is the best of 3 subjects: it passes 89.5%, and each of the others less. c is closest, 10 points behind (simultaneous 95 % interval +0.8 to +19.2 for cases like these, all 3 pairs counted; as independent groups: they share none of 20 and 20 cases). A pass costs $0.011 with a, $0.013 with c and $0.019 with b. 600 of 1,200 planned trials have no result: 600 did not run.',
  'no case in common':
    'Not decided: a and b pass 80% against 40%, and any difference from −35.3 to +81.5 fits (95 % interval; as independent groups: they share none of 1 and 1 case). More trials of the same cases would not decide it: only more cases would. A pass costs $0.013 against $0.025. 10 of 20 planned trials have no result: 10 errored.',
  simulated:
    'Simulated answers: a is better than b: it passes 80% against 37.5%, 42.5 points more (95 % interval +17.3 to +62.2 for cases like these, p < 0.001; 8 cases). A pass costs $0.013 against $0.027.',
}

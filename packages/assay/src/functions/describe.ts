/** Splits a suite with functions into two parts: the functions, and plain data that the suite reader can check. */
import { createHash } from 'node:crypto'
import { FUNCTION_GRADER, type FunctionsDescription } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import { isFunction, isRecord, plainJson, type AnyFunction } from '../documents/index.ts'

export interface SuiteParts {
  readonly description: FunctionsDescription
  readonly subjects: ReadonlyMap<string, AnyFunction>
  readonly graders: readonly AnyFunction[]
}

/** Splits the suite into data and functions. `cases` may be a list of cases or a function that returns the list. */
export async function partsOf(definition: Record<string, unknown>): Promise<SuiteParts> {
  const { subjects: given, cases: givenCases, graders: givenGraders, passEnv, ...rest } = definition
  const cases: unknown = isFunction(givenCases) ? await givenCases(undefined) : givenCases
  const functions: AnyFunction[] = []
  const described = (list: unknown): unknown =>
    Array.isArray(list) ? list.map((one: unknown) => graderTable(one, functions)) : list
  const entries = isRecord(given) ? Object.entries(given) : []
  const subjects = new Map(
    entries.flatMap(([name, one]) => (isFunction(one) ? [[name, one] as const] : [])),
  )
  const { value, faults } = plainJson({
    ...rest,
    ...(givenGraders === undefined ? {} : { graders: described(givenGraders) }),
    ...(cases === undefined
      ? {}
      : {
          cases: Array.isArray(cases)
            ? cases.map((one: unknown) => caseTable(one, described))
            : cases,
        }),
  })
  return {
    description: {
      value,
      faults: [
        ...faults,
        ...entries
          .filter(([, one]) => !isFunction(one))
          .map(([name]) => ({
            path: ['subjects', name],
            found: 'no function',
            expected: 'a function (name models with --model)',
          })),
      ],
      subjects: [...subjects.keys()],
      passEnv: Array.isArray(passEnv) ? passEnv.filter((one) => typeof one === 'string') : [],
    },
    subjects,
    graders: functions,
  }
}

/** Describes one case as data. A case without an id gets an id made from its input. */
function caseTable(one: unknown, described: (list: unknown) => unknown): unknown {
  if (!isRecord(one)) return one
  const { graders, ...rest } = one
  return {
    ...(rest['id'] === undefined && rest['input'] !== undefined ? { id: idOf(rest['input']) } : {}),
    ...rest,
    ...(graders === undefined ? {} : { graders: described(graders) }),
  }
}

const ID_DIGITS = 16

const idOf = (input: unknown): string => hashOf(plainJson(input).value).slice(0, ID_DIGITS)

function graderTable(one: unknown, functions: AnyFunction[]): unknown {
  const own: Record<string, unknown> = isRecord(one) ? one : {}
  const grade: unknown = isFunction(one) ? one : own['grade']
  if (!isFunction(grade)) return one
  const { grade: _, name, ...rest } = own
  const place = functions.push(grade) - 1
  return {
    ...rest,
    type: FUNCTION_GRADER,
    name: name ?? (isFunction(one) && one.name !== '' ? one.name : `grader ${place + 1}`),
    index: place,
    source: createHash('sha256').update(grade.toString()).digest('hex').slice(0, 32),
  }
}

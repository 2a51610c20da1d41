/** Splits a suite with functions into data, which the suite reader checks, and the functions. */
import { createHash } from 'node:crypto'
import { FUNCTION_GRADER, type FunctionsDescription } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import { isFunction, isRecord, plainJson, type AnyFunction } from '../documents/index.ts'

export interface SuiteParts {
  readonly description: FunctionsDescription
  readonly subjects: ReadonlyMap<string, AnyFunction>
  readonly graders: readonly AnyFunction[]
}

/** Takes a suite apart. `cases` may be a function that returns them. */
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

/** A case without an id is named by its input. */
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

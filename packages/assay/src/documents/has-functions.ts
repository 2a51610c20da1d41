/**
 * Recognises suites that have functions as subjects or graders. Such a suite is not data, so it is read in another way.
 */
import { isRecord } from './plain-value.ts'

export type AnyFunction = (call: unknown) => unknown

export const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function'

/** Whether a value is a suite that has functions, or that may have them once its cases are made. */
export function hasFunctions(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const { subjects, graders, cases } = value
  return (
    isFunction(cases) ||
    (isRecord(subjects) && Object.values(subjects).some(isFunction)) ||
    (Array.isArray(graders) && graders.some(isFunctionGrader)) ||
    (Array.isArray(cases) &&
      cases.some(
        (one) =>
          isRecord(one) && Array.isArray(one['graders']) && one['graders'].some(isFunctionGrader),
      ))
  )
}

const isFunctionGrader = (value: unknown): boolean =>
  isFunction(value) || (isRecord(value) && isFunction(value['grade']))

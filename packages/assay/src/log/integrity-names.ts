/**
 * Version 1 of the log uses older names for a grade's `integrity` value. These functions rename between old and current
 * names. Readers always get the current names.
 */
import { FIRST_INTEGRITY_NAMES, integrityNamed, type Grade, type Trial } from '@assay/contract'

/** Returns the trial with the old names, as version 1 of the log has them. */
export const withFirstNames = (trial: Trial): unknown =>
  renamed(trial, (name) => {
    const integrity = integrityNamed(name)
    return integrity === undefined ? name : FIRST_INTEGRITY_NAMES[integrity]
  })

/** Returns the trial with the current names, whether its line has old or current ones. */
export const withNames = (trial: Trial): Trial =>
  renamed(trial, (name) => integrityNamed(name) ?? name)

type Rename = (name: string) => string

/** Returns the same object if no grade has an `integrity` value, as in most trials. */
const renamed = (trial: Trial, rename: Rename): Trial =>
  trial.grades.some(hasIntegrity)
    ? { ...trial, grades: trial.grades.map((grade) => renamedGrade(grade, rename)) }
    : trial

const hasIntegrity = ({ integrity, details }: Grade): boolean =>
  integrity !== undefined || (details?.some(hasIntegrity) ?? false)

function renamedGrade(grade: Grade, rename: Rename): Grade {
  if (!hasIntegrity(grade)) return grade
  const { integrity, details } = grade
  return {
    ...grade,
    ...(integrity === undefined ? {} : { integrity: rename(integrity) as Grade['integrity'] }),
    ...(details === undefined
      ? {}
      : { details: details.map((detail) => renamedGrade(detail, rename)) }),
  } as Grade
}

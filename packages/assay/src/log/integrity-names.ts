/**
 * A grade's `integrity` value has other names in version 1 of the log. These functions rename between those names and
 * the current names. Callers that read a log always get the current names.
 */
import { FIRST_INTEGRITY_NAMES, integrityNamed, type Grade, type Trial } from '@assay/contract'

/** Returns the trial with the names of version 1 of the log. */
export const withFirstNames = (trial: Trial): unknown =>
  renamed(trial, (name) => {
    const integrity = integrityNamed(name)
    return integrity === undefined ? name : FIRST_INTEGRITY_NAMES[integrity]
  })

/** Returns the trial with the current names, whether its line has the names of version 1 or the current ones. */
export const withNames = (trial: Trial): Trial =>
  renamed(trial, (name) => integrityNamed(name) ?? name)

type Rename = (name: string) => string

/** Renames the `integrity` value of each grade. Most trials have none, and for those the same object is returned. */
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

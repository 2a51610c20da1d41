/** Version 1 of the log writes the first names of integrity. Whoever reads a trial meets today's names. */
import { FIRST_INTEGRITY_NAMES, integrityNamed, type Grade, type Trial } from '@assay/contract'

/** A trial as version 1 of the log writes it. */
export const withFirstNames = (trial: Trial): unknown =>
  renamed(trial, (name) => {
    const integrity = integrityNamed(name)
    return integrity === undefined ? name : FIRST_INTEGRITY_NAMES[integrity]
  })

/** A trial with today's names, whichever its line has. */
export const withNames = (trial: Trial): Trial =>
  renamed(trial, (name) => integrityNamed(name) ?? name)

type Rename = (name: string) => string

/** The same trial where no grade says how its tests ran, as most do not. */
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

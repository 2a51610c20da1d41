/**
 * Test files in the forms of public exercise tracks. Each exercise has a reference solution and three mutants of
 * it. A folder holds the solution, its tests, further files of the tests, and `mutants.txt`: a line `old => new`
 * for each mutant, in which `
 *
 * ` is a line break.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const CORPUS = fileURLToPath(new URL('python', import.meta.url))

export interface Exercise {
  readonly name: string
  /** The file name of the solution. */
  readonly solution: string
  readonly reference: string
  readonly mutants: readonly string[]
  /** The file name and the source of the tests. */
  readonly testFile: string
  readonly tests: string
  /** Further files of the tests. */
  readonly helpers: Readonly<Record<string, string>>
  readonly tool: 'unittest' | 'pytest'
}

export const pythonCorpus = (): Exercise[] => readdirSync(CORPUS).toSorted().map(readExercise)

function readExercise(name: string): Exercise {
  const folder = `${CORPUS}/${name}`
  const texts = new Map(
    readdirSync(folder).map((file) => [file, readFileSync(`${folder}/${file}`, 'utf8')]),
  )
  const take = (file: string | undefined): [string, string] => {
    const text = texts.get(file ?? '')
    if (file === undefined || text === undefined) throw new Error(`${name} is not complete`)
    texts.delete(file)
    return [file, text]
  }
  const [, mutants] = take('mutants.txt')
  const helpers = Object.fromEntries(
    ['conftest.py', 'test_utils.py'].filter((file) => texts.has(file)).map((file) => take(file)),
  )
  const files = [...texts.keys()]
  const [testFile, tests] = take(files.find((file) => /^test_|_test\.py$/.test(file)))
  const [solution, reference] = take(files.find((file) => file !== testFile))
  return {
    name,
    solution,
    reference,
    mutants: mutants
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => mutated(reference, line, name)),
    testFile,
    tests,
    helpers,
    tool:
      /^(?:import|from) pytest\b/m.test(tests) || !tests.includes('unittest')
        ? 'pytest'
        : 'unittest',
  }
}

function mutated(reference: string, line: string, name: string): string {
  const [old = '', changed = ''] = line.split(' => ').map((part) => part.replaceAll('¶', '\n'))
  const parts = reference.split(old)
  if (parts.length < 2) throw new Error(`${name}: there is no ${JSON.stringify(old)}`)
  const [first = '', ...rest] = parts
  return `${first}${changed}${rest.join(old)}`
}

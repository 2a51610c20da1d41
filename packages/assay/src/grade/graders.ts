/** All graders. A new one is a file of the same shape and an entry here. */
import { code } from './code/code.ts'
import { contains } from './contains.ts'
import { equals } from './equals.ts'
import type { Grader } from './grader.ts'
import { json } from './json.ts'
import { matches } from './matches.ts'

export const graders: readonly Grader[] = [equals, contains, matches, json, code]

const byType = new Map(graders.map((grader) => [grader.type, grader]))

export const graderByType = (type: string): Grader | undefined => byType.get(type)

/**
 * Answers kept between runs, off unless asked for. The key is everything that determines an answer,
 * the trial's index included: five trials of one case are five answers, never one answer five times.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Answer, Ask, Subject } from '../contract.ts'

export class AnswerCache {
  readonly #folder: string
  readonly #redact: (text: string) => string

  constructor(folder: string, redact: (text: string) => string) {
    this.#folder = folder
    this.#redact = redact
  }

  #path(subject: Subject, ask: Ask): string {
    const { messages, maxTokens, case: one, index, openWorkspace } = ask
    const asked = [1, subject.config, messages, maxTokens, one.id, index]
    const limits = subject.takesAllTurns === true && one.limits !== null ? [one.limits] : []
    const key = createHash('sha256')
      // Who works in a folder answers to all that the case puts there, and within its limits.
      .update(JSON.stringify([...asked, ...(openWorkspace === undefined ? limits : [one.hash])]))
      .digest('hex')
    return join(this.#folder, key.slice(0, 2), `${key.slice(2)}.json`)
  }

  /** The kept answer, which costs this run nothing; null where there is none that can be read. */
  async get(subject: Subject, ask: Ask): Promise<Answer | null> {
    try {
      const answer = JSON.parse(await readFile(this.#path(subject, ask), 'utf8')) as Answer
      return typeof answer.text === 'string' ? { ...answer, spentUsd: 0 } : null
    } catch {
      return null
    }
  }

  async put(subject: Subject, ask: Ask, answer: Answer, ms: number): Promise<void> {
    const path = this.#path(subject, ask)
    await mkdir(dirname(path), { recursive: true })
    const temporary = `${path}.${process.pid}.tmp`
    await writeFile(temporary, this.#redact(JSON.stringify({ ...answer, ms })))
    await rename(temporary, path)
  }
}

/**
 * Answers kept between runs, off unless asked for. The key is everything that determines an answer,
 * the trial's index included: five trials of one case are five answers, never one answer five times.
 */
import { createHash } from 'node:crypto'
import { closeSync, readFile } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Answer, Ask, Subject } from '@assay/contract'
import { checkOwnFolder, checksumOf, MARK, maskedAnswer, openOwn } from '../../log/index.ts'
import { soundAnswer } from '../../subject/index.ts'

const readAll = promisify(readFile)

export class AnswerCache {
  readonly #folder: string
  readonly #secrets: readonly string[]

  constructor(folder: string, secrets: readonly string[]) {
    this.#folder = folder
    this.#secrets = secrets
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
      const text = await readOwn(this.#path(subject, ask))
      // An earlier version kept answers masked: those are not what was answered.
      if (text.includes(MARK)) return null
      const { crc, ...answer } = JSON.parse(text) as Answer & { crc?: string }
      // An earlier version kept answers without a checksum. One that is damaged is asked for again.
      if (crc !== undefined && crc !== checksumOf(answer)) return null
      return typeof answer.text === 'string' ? { ...soundAnswer(answer), spentUsd: 0 } : null
    } catch {
      return null
    }
  }

  /** An answer that holds a secret is not kept: masked, it would not be the same answer. */
  async put(subject: Subject, ask: Ask, answer: Answer, ms: number): Promise<void> {
    const { answer: kept, masked } = maskedAnswer(answer, this.#secrets)
    if (masked.length > 0) return
    const path = this.#path(subject, ask)
    checkOwnFolder(dirname(path))
    await mkdir(dirname(path), { recursive: true })
    const temporary = `${path}.${process.pid}.tmp`
    await rm(temporary, { force: true })
    await writeFile(temporary, JSON.stringify({ ...kept, ms, crc: checksumOf({ ...kept, ms }) }), {
      flag: 'wx',
    })
    await rename(temporary, path)
  }
}

/** The folder that the user keeps answers in may have come with a repository. */
async function readOwn(path: string): Promise<string> {
  checkOwnFolder(dirname(path))
  const fd = openOwn(path)
  try {
    return await readAll(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

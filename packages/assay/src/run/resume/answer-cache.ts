/**
 * Stores answers, so that later runs can use them without asking the subject again. The cache is off by default. The
 * key of an answer covers everything that determines it, including the trial's index. So five trials of a case are five
 * different answers, never one answer five times.
 *
 * The cache folder may have come with an untrusted repository, and a forged answer could make a run pass. So the
 * command line signs the answers that it stores, and ignores all others unless the user trusts the folder.
 */
import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { STOPS, type Answer, type Ask, type Subject } from '@assay/contract'
import { checkOwnFolder, checksumOf, MARK, maskedAnswer, readOwn } from '../../log/index.ts'
import { soundAnswer } from '../../subject/index.ts'

/** The most bytes that are read for one answer. No stored answer is this large. */
const MOST_BYTES = 256 * 1024 * 1024

/** Signs answers, so that Assay can recognize the answers that the user's own runs stored. */
export interface OwnAnswers {
  readonly sign: (text: string) => string
  /** Whether answers without the user's signature are used too. This is true if the user trusts the folder. */
  readonly takesOthers: boolean
}

export class AnswerCache {
  readonly #folder: string
  readonly #secrets: readonly string[]
  readonly #own: OwnAnswers | null
  readonly #warn: (text: string) => void
  #hasWarned = false

  /** If `own` is null, every stored answer is used, whoever stored it. */
  constructor(
    folder: string,
    secrets: readonly string[],
    own: OwnAnswers | null = null,
    warn: (text: string) => void = () => {},
  ) {
    this.#folder = folder
    this.#secrets = secrets
    this.#own = own
    this.#warn = warn
  }

  #path(subject: Subject, ask: Ask): string {
    const { messages, maxTokens, case: one, index, openWorkspace } = ask
    const asked = [1, subject.config, messages, maxTokens, one.id, index]
    const inputs = subject.kind === 'function' ? [one.input ?? null] : []
    const limits = subject.takesAllTurns === true && one.limits !== null ? [one.limits] : []
    const key = createHash('sha256')
      // For a subject in a workspace, the key contains the case's hash, because the answer depends on all files and
      // limits of the case.
      .update(
        JSON.stringify([
          ...asked,
          ...inputs,
          ...(openWorkspace === undefined ? limits : [one.hash]),
        ]),
      )
      .digest('hex')
    return join(this.#folder, key.slice(0, 2), `${key.slice(2)}.json`)
  }

  /** Returns the stored answer. It costs this run nothing. Returns null if there is none, or if it is not valid. */
  async get(subject: Subject, ask: Ask): Promise<Answer | null> {
    try {
      const path = this.#path(subject, ask)
      checkOwnFolder(dirname(path))
      const text = readOwn(path, MOST_BYTES).toString('utf8')
      // Older versions of Assay stored answers with masked secrets. These are not the original answers, so they are not
      // used.
      if (text.includes(MARK)) return null
      const { crc, by, ...answer } = JSON.parse(text) as Answer & { crc?: string; by?: string }
      // A damaged answer is ignored, and the subject is asked again. Answers of older versions have no checksum and are
      // accepted.
      if (crc !== undefined && crc !== checksumOf(answer)) return null
      if (!this.#isAllowed(path, answer, by)) return null
      if (typeof answer.text !== 'string' || !STOPS.includes(answer.stop)) return null
      return { ...soundAnswer(answer), spentUsd: 0 }
    } catch {
      return null
    }
  }

  #isAllowed(path: string, answer: object, by: string | undefined): boolean {
    if (this.#own === null || this.#own.takesOthers || by === this.#signature(path, answer))
      return true
    if (!this.#hasWarned)
      this.#warn(
        `${this.#folder} holds answers that were not kept by you on this machine: they are asked for again. To use them, trust the folder: --trust, or ASSAY_TRUST=1`,
      )
    this.#hasWarned = true
    return false
  }

  /** Signs an answer together with its key. Otherwise a signed answer could be moved to another question. */
  #signature(path: string, answer: object): string | undefined {
    return this.#own?.sign(`${basename(dirname(path))}${basename(path)} ${JSON.stringify(answer)}`)
  }

  /**
   * Stores an answer. An answer that contains a secret is not stored, because masking would turn it into a different
   * answer.
   */
  async put(subject: Subject, ask: Ask, answer: Answer, ms: number): Promise<void> {
    const { answer: kept, masked } = maskedAnswer(answer, this.#secrets)
    if (masked.length > 0) return
    const path = this.#path(subject, ask)
    checkOwnFolder(dirname(path))
    await mkdir(dirname(path), { recursive: true })
    const temporary = `${path}.${process.pid}.tmp`
    await rm(temporary, { force: true })
    const value = { ...kept, ms }
    const by = this.#signature(path, JSON.parse(JSON.stringify(value)) as object)
    const stored = { ...value, crc: checksumOf(value), ...(by === undefined ? {} : { by }) }
    await writeFile(temporary, JSON.stringify(stored), { flag: 'wx' })
    await rename(temporary, path)
  }
}

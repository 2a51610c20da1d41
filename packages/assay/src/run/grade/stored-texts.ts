/**
 * Converts answers between their form in memory and their form in the log. Large texts are stored in separate files
 * (blobs), trajectories and diffs as JSON. The caller must mask all secrets first: in trajectories and diffs before
 * they become JSON, because JSON escapes some characters of a secret.
 */
import type { Answer, Text, Trial } from '@assay/contract'
import { parseDiff, parseMessages, parseTrajectory } from '../../log/index.ts'
import type { KeptAnswer } from '../resume/pending.ts'
import type { TrialStore } from '../trial/trial-services.ts'

type TextStore = Pick<TrialStore, 'maskedText'>

export async function loadTexts(
  read: (text: Text) => Promise<string>,
  { text, files, trajectory, stream, diff, messages, log, traffic, ...rest }: KeptAnswer,
): Promise<Answer> {
  const texts: Record<string, string> = {}
  for (const [path, file] of Object.entries(files ?? {})) texts[path] = await read(file)
  return {
    ...rest,
    text: await read(text),
    ...(files === undefined ? {} : { files: texts }),
    ...(trajectory === undefined ? {} : { trajectory: parseTrajectory(await read(trajectory)) }),
    ...(stream === undefined ? {} : { stream: await read(stream) }),
    ...(diff === undefined ? {} : { diff: parseDiff(await read(diff)) }),
    ...(messages === undefined ? {} : { messages: parseMessages(await read(messages)) }),
    ...(log === undefined ? {} : { log: await read(log) }),
    ...(traffic === undefined ? {} : { traffic: await read(traffic) }),
  }
}

export async function storeTexts(store: TextStore, answer: Answer): Promise<KeptAnswer> {
  const {
    text,
    files: _files,
    trajectory: _trajectory,
    stream: _stream,
    diff: _diff,
    messages: _messages,
    log: _log,
    traffic: _traffic,
    ...rest
  } = answer
  return { ...rest, text: await store.maskedText(text), ...(await storeParts(store, answer)) }
}

type StoredParts = Pick<
  Trial,
  'files' | 'trajectory' | 'stream' | 'diff' | 'messages' | 'log' | 'traffic'
>

/** Stores all parts of an answer except its text. */
export async function storeParts(
  store: TextStore,
  { files, trajectory, stream, diff, messages, log, traffic }: Answer,
): Promise<StoredParts> {
  return {
    ...(files === undefined ? {} : { files: await foldFiles(store, files) }),
    ...(trajectory === undefined
      ? {}
      : { trajectory: await store.maskedText(JSON.stringify(trajectory)) }),
    ...(stream === undefined ? {} : { stream: await store.maskedText(stream) }),
    ...(diff === undefined ? {} : { diff: await store.maskedText(JSON.stringify(diff)) }),
    ...(messages === undefined
      ? {}
      : { messages: await store.maskedText(JSON.stringify(messages)) }),
    ...(log === undefined ? {} : { log: await store.maskedText(log) }),
    ...(traffic === undefined ? {} : { traffic: await store.maskedText(traffic) }),
  }
}

async function foldFiles(
  store: TextStore,
  files: Readonly<Record<string, string>>,
): Promise<Record<string, Text>> {
  const texts: Record<string, Text> = {}
  for (const [path, text] of Object.entries(files)) texts[path] = await store.maskedText(text)
  return texts
}

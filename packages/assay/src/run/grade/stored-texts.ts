/**
 * Answers between memory and the log: large texts go to blobs on the way out and come back on the way in;
 * what an agent did and left behind is JSON there. What goes out is masked before it comes here: its JSON by
 * its values.
 */
import type { Answer, Text, Trial } from '@assay/contract'
import { parseDiff, parseTrajectory, type RunFolder } from '../../log/index.ts'
import type { KeptAnswer } from '../resume/pending.ts'

export async function loadTexts(
  read: (text: Text) => Promise<string>,
  { text, files, trajectory, stream, diff, ...rest }: KeptAnswer,
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
  }
}

export async function storeTexts(folder: RunFolder, answer: Answer): Promise<KeptAnswer> {
  const {
    text,
    files: _files,
    trajectory: _trajectory,
    stream: _stream,
    diff: _diff,
    ...rest
  } = answer
  return { ...rest, text: await folder.maskedText(text), ...(await storeParts(folder, answer)) }
}

/** The parts that a trial keeps beside its text. */
export async function storeParts(
  folder: RunFolder,
  { files, trajectory, stream, diff }: Answer,
): Promise<Pick<Trial, 'files' | 'trajectory' | 'stream' | 'diff'>> {
  return {
    ...(files === undefined ? {} : { files: await foldFiles(folder, files) }),
    ...(trajectory === undefined
      ? {}
      : { trajectory: await folder.maskedText(JSON.stringify(trajectory)) }),
    ...(stream === undefined ? {} : { stream: await folder.maskedText(stream) }),
    ...(diff === undefined ? {} : { diff: await folder.maskedText(JSON.stringify(diff)) }),
  }
}

async function foldFiles(
  folder: RunFolder,
  files: Readonly<Record<string, string>>,
): Promise<Record<string, Text>> {
  const texts: Record<string, Text> = {}
  for (const [path, text] of Object.entries(files)) texts[path] = await folder.maskedText(text)
  return texts
}

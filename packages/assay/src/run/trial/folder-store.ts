/** Stores what trials produce in the run folder on this machine. */
import type { OnRecorded, RunFolder } from '../../log/index.ts'
import type { TrialStore } from './trial-services.ts'

/** `onRecorded` is called with each trial after it was written to the disk, in the order of the lines in the log. */
export const folderStore = (folder: RunFolder, onRecorded: OnRecorded): TrialStore => ({
  redact: folder.redact,
  maskedAnswer: (answer) => folder.maskedAnswer(answer),
  text: (text) => folder.text(text),
  maskedText: (text) => folder.maskedText(text),
  keepAnswer: (pending) => folder.appendPending(pending),
  record: (trial, wasPending) => folder.appendTrial(trial, wasPending, onRecorded),
})

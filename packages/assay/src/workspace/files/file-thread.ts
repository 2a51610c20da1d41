/** The main module of a thread that works on folders. It performs one task at a time and sends a reply to each. */
import { parentPort } from 'node:worker_threads'
import { WorkspaceTooLarge } from '@assay/contract'
import { READY } from '../../pool/index.ts'
import { doTask, type FileTask, type Reply } from './file-task.ts'
import { WorkspaceError } from '../workspace-error.ts'

parentPort?.on('message', (task: FileTask) => {
  let reply: Reply
  try {
    reply = { done: doTask(task) }
  } catch (error) {
    const as =
      error instanceof WorkspaceTooLarge
        ? 'too-large'
        : error instanceof WorkspaceError
          ? 'workspace'
          : 'other'
    reply = { failed: error instanceof Error ? error.message : String(error), as }
  }
  parentPort?.postMessage(reply, [])
})
parentPort?.postMessage(READY, [])

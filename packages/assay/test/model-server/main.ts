/**
 * The model server as a separate process, which keeps running when the process that runs the trials is killed:
 *
 *     node main.ts [--port N] [--latency MS] [--wrong SHARE] [--lifetime SECONDS]
 *
 * The server prints {"port":N} on one line. The same request always gets the same answer. GET /counts returns the
 * counts of the server. It ends on SIGTERM, or by itself after its lifetime, so that an interrupted test leaves no
 * process behind.
 */
import { parseArgs } from 'node:util'
import { answerFromPrompt } from './answers.ts'
import { startModelServer } from './server.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    latency: { type: 'string', default: '0' },
    wrong: { type: 'string', default: '0' },
    lifetime: { type: 'string', default: '900' },
  },
})

const server = await startModelServer({
  port: Number(values.port),
  latencyMs: Number(values.latency),
  answer: answerFromPrompt(Number(values.wrong)),
  forget: true,
})
const stop = (): void => {
  void server.close().then(() => process.exit(0))
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
setTimeout(stop, Number(values.lifetime) * 1000).unref()
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`)

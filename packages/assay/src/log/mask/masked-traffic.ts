/** Masks the recorded traffic of an agent: its requests to the model, and the replies. */
import type { Json } from '@assay/contract'
import { parseTraffic, type Exchange } from '../traffic.ts'
import { maskedJson } from './masked-json.ts'
import { maskedStream } from './masked-stream.ts'
import type { Redactor } from './redact.ts'

/** Returns the traffic with secrets masked. `traffic` is JSON that Assay itself wrote. */
export function maskedTraffic(traffic: string, redactor: Redactor): string {
  const given = parseTraffic(traffic)
  return JSON.stringify({
    ...given,
    exchanges: given.exchanges.map((one): Exchange => ({
      ...one,
      path: redactor.text(one.path),
      request: maskedJson(one.request as Json, redactor.text),
      reply: maskedReply(one.reply, redactor),
      model: redactor.text(one.model),
    })),
  })
}

const DATA = /^data: ?/u

/**
 * Masks a reply. If the reply is a stream, its lines are JSON after `data:`, and a secret may be split over several
 * lines.
 */
function maskedReply(reply: string, redactor: Redactor): string {
  const lines = reply.split('\n')
  const heads = lines.map((line) => DATA.exec(line)?.[0] ?? '')
  const bodies = lines.map((line, i) => line.slice(heads[i]?.length ?? 0))
  const masked = maskedStream(bodies.join('\n'), redactor).split('\n')
  // If a secret spans several plain lines, the masked text has fewer lines, and they cannot be matched with the
  // originals. Then the reply is masked as one text.
  if (masked.length !== lines.length) return redactor.text(reply)
  return masked.map((line, i) => `${heads[i] ?? ''}${line}`).join('\n')
}

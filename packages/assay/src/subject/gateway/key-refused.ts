/**
 * Whether a provider refuses a key. An agent can provoke a refusal with headers or content of its own, and must not blame
 * its provider for it. So Assay asks for the list of models with the key alone.
 */
import type { Family } from './model-path.ts'
import type { Upstream } from './route.ts'
import type { TrialKey } from './trial-keys.ts'
import type { UpstreamConnections } from './upstream.ts'

const LIST_OF_MODELS = {
  anthropic: '/v1/models',
  openai: '/models',
  google: '/v1beta/models',
} as const satisfies Record<Family, string>

const PROBE_MS = 10_000

/** Any reply but a list counts as a refusal: some servers have no list. */
export async function isKeyRefused(
  connections: UpstreamConnections,
  { baseUrl }: Upstream,
  { key, places: [place = ''], family }: TrialKey,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const reply = await connections.send({
      url: new URL(`${baseUrl}${LIST_OF_MODELS[family]}`),
      method: 'GET',
      headers: {
        [place]: place === 'authorization' ? `Bearer ${key}` : key,
        ...(family === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}),
      },
      body: Buffer.alloc(0),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
    })
    reply.resume()
    const status = reply.statusCode ?? 0
    return status < 200 || status > 299
  } catch {
    return true
  }
}

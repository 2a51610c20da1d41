/**
 * Checks whether a provider refuses the user's key. An agent can cause a refusal itself, with its own headers or
 * content. That must not count as a failure of the provider. So Assay sends its own request, for the list of models,
 * with only the key.
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

/**
 * Whether the provider refuses the key. Only a successful reply shows that the key works. Any other reply counts as a
 * refusal, even if the server just has no list of models.
 */
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

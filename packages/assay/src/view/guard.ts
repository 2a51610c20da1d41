/**
 * Decides which requests the server answers. The server listens only on loopback. But every page in the user's
 * browser can send requests there, and so can other users of the machine.
 * - The Host header must be a loopback name. Otherwise a page of another host name that resolves to 127.0.0.1 could
 *   read the answers.
 * - A request from another site's page is refused (Origin, Sec-Fetch-Site).
 * - Every request needs a cookie. The browser gets it for the token in the first address.
 * - A request that changes something also needs a header. The page of another site cannot send this header.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export type Decision =
  | { readonly kind: 'allowed' }
  /** The token is right. The response sets the cookie and leads to the page without the token. */
  | { readonly kind: 'enter'; readonly cookie: string }
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 403; readonly why: string }

/** The header that requests need if they change something. The page of another site cannot send it. */
export const WRITE_HEADER = 'x-assay-view'

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i

export class Guard {
  readonly #token = randomBytes(24).toString('base64url')
  readonly #cookie = randomBytes(24).toString('base64url')
  readonly #once = new Set<string>()

  /** The token in the address that is printed. */
  get token(): string {
    return this.#token
  }

  /**
   * Returns a token that works only once. It is passed to the program that opens a browser. Other users of the
   * machine can see the arguments of programs, so a token that works for longer would not be safe there.
   */
  tokenForOnce(): string {
    const token = randomBytes(24).toString('base64url')
    this.#once.add(digest(token))
    return token
  }

  decide(request: IncomingMessage, url: URL, port: number): Decision {
    const { host = '', origin } = request.headers
    if (!LOOPBACK.test(host)) return refused(403, 'this server answers only to loopback names')
    if (origin !== undefined && origin !== `http://${host}`)
      return refused(403, 'this request comes from another site')
    const site = request.headers['sec-fetch-site']
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
    const name = `assay-view-${port}`
    const token = url.searchParams.get('token')
    // For the address with the token, Sec-Fetch-Site is not checked, because the user may click this address on any
    // page, such as a web terminal.
    if (url.pathname === '/' && token !== null && !isWrite)
      return this.#isToken(token)
        ? {
            kind: 'enter',
            cookie: `${name}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`,
          }
        : refused(401, 'this address is no longer valid')
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      return refused(403, 'this request comes from another site')
    if (!cookies(request.headers.cookie ?? '', name).some((one) => isSame(one, this.#cookie)))
      return refused(401, 'open the address that `assay view` printed')
    if (isWrite && (request.headers[WRITE_HEADER] !== '1' || origin === undefined))
      return refused(403, 'a request that changes something needs the page’s own header')
    return { kind: 'allowed' }
  }

  #isToken(token: string): boolean {
    return isSame(token, this.#token) || this.#once.delete(digest(token))
  }
}

const refused = (status: 400 | 401 | 403, why: string): Decision => ({
  kind: 'refused',
  status,
  why,
})

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const isSame = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())

const cookies = (header: string, name: string): string[] =>
  header.split(';').flatMap((part) => {
    const [key, value] = part.trim().split('=', 2)
    return key === name && value !== undefined ? [value] : []
  })

/**
 * Decides which requests are answered. The server listens on loopback, but every page that the user's browser shows
 * can send requests there, and so can other users of the machine.
 * - Host must be a loopback name. Otherwise a foreign name that resolves to 127.0.0.1 could read the answers.
 * - A request that another site's page sends is refused (Origin, Sec-Fetch-Site).
 * - Every request needs the cookie, which the browser gets for the token in the first address.
 * - A request that changes something also needs a header that no foreign page can send without being asked.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export type Decision =
  | { readonly kind: 'allowed' }
  /** The token was right: the answer sets the cookie and leads to the page without the token. */
  | { readonly kind: 'enter'; readonly cookie: string }
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 403; readonly why: string }

/** The header of requests that change something. */
export const WRITE_HEADER = 'x-assay-view'

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i

export class Guard {
  readonly #token = randomBytes(24).toString('base64url')
  readonly #cookie = randomBytes(24).toString('base64url')
  readonly #once = new Set<string>()

  /** The token for the address that is printed. */
  get token(): string {
    return this.#token
  }

  /**
   * Returns a token that works once. It is given to the program that opens a browser, because other users of the
   * machine can see the arguments of programs.
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
    // The user may follow the printed address from any page, such as a web terminal.
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

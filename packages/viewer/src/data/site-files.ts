/**
 * Loads the files of a static site. Each file is a classic script that passes a JSON text to the function
 * `assaySite`.
 */

/** Matches the allowed file names. They contain no path, so damaged or untrusted data cannot name another file. */
const NAME = /^[a-z0-9-]{1,60}$/

export class SiteFiles {
  readonly #loaded = new Map<string, Promise<unknown>>()
  readonly #waiting = new Map<string, (json: string) => void>()

  constructor() {
    Object.assign(globalThis, {
      assaySite: (name: string, json: string) => this.#waiting.get(name)?.(json),
    })
  }

  async load<T>(name: string): Promise<T> {
    const known = this.#loaded.get(name) ?? this.#fetch(name)
    this.#loaded.set(name, known)
    return known as Promise<T>
  }

  #fetch(name: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!NAME.test(name)) {
        reject(new Error('This site is damaged: a file has an odd name.'))
        return
      }
      const script = document.createElement('script')
      const end = (): void => {
        script.remove()
        this.#waiting.delete(name)
      }
      this.#waiting.set(name, (json) => resolve(JSON.parse(json)))
      script.addEventListener('load', () => {
        end()
        reject(new Error(`This site is damaged: data/${name}.js has no data.`))
      })
      script.addEventListener('error', () => {
        end()
        this.#loaded.delete(name)
        reject(new Error(`The file data/${name}.js of this site cannot be read.`))
      })
      script.src = `data/${name}.js`
      document.head.append(script)
    })
  }
}

/**
 * Mocks of the modules that a solution imports (`vi.mock`, `jest.mock`). The tests run in the solution's process and
 * register the mocks before the solution is loaded. The module loader then returns the mocks instead of the modules.
 */
import { mockFunction, noMocks } from './framework/mock.ts'
import { automocked, type ModuleMocks } from './framework/vi.ts'

type Make = ((original: () => unknown) => unknown) | null
type Namespace = Record<string, unknown>

export class MockedModules implements ModuleMocks {
  readonly #makers = new Map<string, { readonly specifier: string; readonly make: Make }>()
  readonly #made = new Map<string, unknown>()
  /** Loads the real module that a mock replaces. The module loader sets this function. */
  original: (specifier: string) => unknown = () => ({})

  mock(specifier: string, make: Make): void {
    this.#makers.set(keyOf(specifier), { specifier, make })
  }

  unmock(specifier: string): void {
    this.#makers.delete(keyOf(specifier))
  }

  actual(specifier: string): unknown {
    return this.original(specifier)
  }

  mocked(specifier: string): unknown {
    return this.value(specifier)
  }

  /** Creates all mocks. Must be called before the solution is loaded. */
  async make(): Promise<void> {
    for (const [key, { specifier, make }] of this.#makers) {
      const original = async (): Promise<unknown> => this.original(specifier)
      const module =
        make === null
          ? automocked(this.original(specifier) as object, (one) => mockFunction(one, noMocks()))
          : await make(original)
      this.#made.set(key, module)
    }
  }

  has(specifier: string): boolean {
    return this.#makers.has(keyOf(specifier))
  }

  value(specifier: string): unknown {
    return this.#made.get(keyOf(specifier))
  }

  /** Returns the mock as a module namespace, as `import` needs it; undefined if the module is not mocked. */
  namespace(specifier: string): Namespace | undefined {
    if (!this.#made.has(keyOf(specifier))) return undefined
    const value = this.value(specifier)
    const names = typeof value === 'object' && value !== null ? (value as Namespace) : {}
    return 'default' in names ? names : { ...names, default: value }
  }
}

/** Returns the key by which a mock is stored: the file name without its folder and extension, or the package name. */
const keyOf = (specifier: string): string =>
  /^(?:\.|file:)/.test(specifier)
    ? `./${(specifier.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '')}`
    : specifier.replace(/^node:/, '')

/**
 * The packages that tests import, from the folder with the packages that the case declares. They are loaded before
 * the test file runs, because its imports are passed to it as values.
 */
interface LoadedPackage {
  readonly namespace: Record<string, unknown>
  /** The value that `require` returns for the package. */
  readonly required: unknown
}

export type Packages = ReadonlyMap<string, LoadedPackage>

const SCHEME = 'assay-package:'

/** Loads the packages. A package that is not in the folder is left out. */
export async function loadPackages(
  specifiers: readonly string[],
  folder: string | null,
): Promise<Packages> {
  const loaded = new Map<string, LoadedPackage>()
  if (folder === null || specifiers.length === 0) return loaded
  const { registerHooks, createRequire } = process.getBuiltinModule('node:module')
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  const from = pathToFileURL(`${folder}/x.js`).href
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith(SCHEME)
        ? next(specifier.slice(SCHEME.length), { ...context, parentURL: from })
        : next(specifier, context),
  })
  const require = createRequire(from)
  for (const specifier of specifiers) {
    let namespace: Record<string, unknown>
    try {
      namespace = (await import(`${SCHEME}${specifier}`)) as Record<string, unknown>
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') continue
      throw error
    }
    loaded.set(specifier, { namespace, required: requiredOf(require, specifier, namespace) })
  }
  hooks.deregister()
  return loaded
}

function requiredOf(
  require: NodeJS.Require,
  specifier: string,
  namespace: Record<string, unknown>,
): unknown {
  try {
    return require(specifier)
  } catch {
    // The package cannot be loaded with `require`, only with `import`.
    return namespace['default'] ?? namespace
  }
}

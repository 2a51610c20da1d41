import type { Suite } from '@assay/contract'

/** Passes the user's environment variables that a suite names to the functions of the suite. */
export function passVariables(
  { functions }: Suite,
  variables: Readonly<Record<string, string | undefined>>,
): void {
  const passed = (functions?.description.passEnv ?? []).flatMap((name) => {
    const value = variables[name] ?? process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  if (passed.length > 0) functions?.give(Object.fromEntries(passed))
}

import type { Suite } from '@assay/contract'

/** Gives the functions of a suite the variables of the user's environment that the suite names. */
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

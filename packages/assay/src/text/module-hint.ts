/**
 * Returns a hint for the user if Node cannot load a file because of the module type of its project. For a `.ts` or
 * `.js` file, Node uses the `type` of the nearest package.json. Only `.mts` and `.mjs` files are always modules.
 */
export function moduleHint(file: string, why: string): string {
  if (/\bmodule is not defined\b|\bexports is not defined\b|\brequire is not defined\b/u.test(why))
    return '; it is a module here: use import and export default'
  const isModule = /\.m[jt]s$/iu.test(file)
  if (isModule || !/outside a module|Unexpected token 'export'|ES module/u.test(why)) return ''
  const better = file.replace(/([jt]s)$/iu, 'm$1')
  return `; the nearest package.json makes it CommonJS: call it ${better.split('/').at(-1) ?? better}, which is a module in every project`
}

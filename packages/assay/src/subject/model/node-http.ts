/**
 * Loads Node's HTTP clients on first use. A normal `import` of node:http also loads Node's `fetch`. That takes longer
 * than all of `assay --version`, and would slow down every command that imports the code for providers.
 */
export const nodeHttp = () => process.getBuiltinModule('node:http')
export const nodeHttps = () => process.getBuiltinModule('node:https')

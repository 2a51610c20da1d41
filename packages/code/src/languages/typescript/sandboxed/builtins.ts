/**
 * Functions of Node, saved when the program starts. A bundler turns an `import` into a property access on Node's
 * module at each use, and a solution in the same process may have replaced the function by then.
 */
export const { closeSync, readSync, writeSync } = process.getBuiltinModule('node:fs')
export const { types } = process.getBuiltinModule('node:util')
export const { compileFunction } = process.getBuiltinModule('node:vm')

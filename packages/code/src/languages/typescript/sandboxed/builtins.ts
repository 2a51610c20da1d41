/**
 * Functions of Node as they were when the program started. A bundler turns an `import` of them into a look
 * at Node's module at each use, and by then a solution in the same process may have replaced them.
 */
export const { closeSync, readSync, writeSync } = process.getBuiltinModule('node:fs')
export const { types } = process.getBuiltinModule('node:util')
export const { compileFunction } = process.getBuiltinModule('node:vm')

/**
 * Functions of Node, saved when the program starts, before a solution is loaded. If other files imported them from
 * Node as usual, the bundler would make each call read the function from Node's module again. By then, a solution in
 * the same process may have replaced the function.
 */
export const { closeSync, readSync, writeSync } = process.getBuiltinModule('node:fs')
export const { types } = process.getBuiltinModule('node:util')
export const { compileFunction } = process.getBuiltinModule('node:vm')

/**
 * Functions of Node, saved when the program starts. If they were imported as usual, the bundler would turn each use
 * into a property of Node's module that is read at each call. By then, a solution in the same process may have
 * replaced that property.
 */
export const { closeSync, readSync, writeSync } = process.getBuiltinModule('node:fs')
export const { types } = process.getBuiltinModule('node:util')
export const { compileFunction } = process.getBuiltinModule('node:vm')

/**
 * The version in package.json. It is repeated here so that `assay --version` does not need to read a file. A test
 * checks that both are equal.
 */
export const VERSION = '0.1.0'

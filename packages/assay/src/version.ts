/** The version in package.json, kept here so that `assay --version` reads no file; a test holds them equal. */
export const VERSION = '0.1.0'

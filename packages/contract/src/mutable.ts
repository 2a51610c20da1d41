/** A type without its `readonly`, for code that builds a value step by step. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

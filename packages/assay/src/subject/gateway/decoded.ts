/**
 * Decodes a copy of a compressed reply, so that Assay can read it. The agent gets the reply exactly as the provider
 * sent it.
 */
import zlib from 'node:zlib'
import type { Transform } from 'node:stream'

/**
 * The most bytes that are decoded, and the rest is not read. A small compressed reply could otherwise fill the memory.
 */
const MOST_BYTES = 64 * 1024 * 1024

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

export interface Decoded {
  /** Whether the reply is not compressed. */
  readonly isPlain: boolean
  /** Whether a part of the reply could not be decoded, or was too large. */
  readonly isCut: boolean
  add(chunk: Buffer): void
  /** Resolves when the whole copy is decoded. */
  end(): Promise<void>
}

export function decoded(encoding: string | undefined, read: (chunk: Buffer) => void): Decoded {
  const name = (encoding ?? 'identity').trim().toLowerCase()
  let bytes = 0
  const bounded = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes <= MOST_BYTES) read(chunk)
  }
  if (name === 'identity' || name === '')
    return {
      isPlain: true,
      get isCut() {
        return bytes > MOST_BYTES
      },
      add: bounded,
      end: async () => {},
    }
  const decoder = DECODERS[name]?.()
  // A reply in an unknown encoding cannot be read, so its usage is estimated.
  if (decoder === undefined)
    return { isPlain: false, isCut: true, add: () => {}, end: async () => {} }
  let isBroken = false
  const done = Promise.withResolvers<void>()
  decoder.on('data', bounded)
  decoder.on('error', () => {
    isBroken = true
    done.resolve()
  })
  decoder.on('close', () => done.resolve())
  return {
    isPlain: false,
    get isCut() {
      return isBroken || bytes > MOST_BYTES
    },
    add(chunk) {
      if (!decoder.destroyed && bytes <= MOST_BYTES) decoder.write(chunk)
    },
    async end() {
      if (!decoder.destroyed) decoder.end()
      await done.promise
      decoder.destroy()
    },
  }
}

/** Returns the bytes of a text, decompressed if necessary. */
export async function decodedBytes(encoding: string | undefined, bytes: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = []
  const copy = decoded(encoding, (chunk) => chunks.push(chunk))
  copy.add(bytes)
  await copy.end()
  return Buffer.concat(chunks)
}

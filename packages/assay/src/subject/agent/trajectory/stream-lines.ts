/**
 * Splits a program's output into lines of text as it arrives. A piece of the output may end anywhere, even inside a
 * character. Bytes that are not valid UTF-8 become replacement characters, and `isUtf8` becomes false. A line that is
 * too long is cut, so that it cannot fill the memory.
 */

const MOST_LINE = 8 * 1024 * 1024

export interface StreamLines {
  /** Returns the lines that this chunk completes, without their line breaks. */
  add(chunk: Uint8Array): string[]
  /** Returns the text after the last line break, if there is any. Called at the end of the output. */
  end(): string[]
  /** How many lines were cut because they were too long. */
  readonly cut: number
  readonly isUtf8: boolean
}

export function streamLines(most = MOST_LINE): StreamLines {
  const decoder = new TextDecoder('utf-8')
  const strict = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  let pieces: string[] = []
  let length = 0
  let cut = 0

  const check = (chunk?: Uint8Array): void => {
    if (!isUtf8) return
    try {
      strict.decode(chunk, { stream: chunk !== undefined })
    } catch {
      isUtf8 = false
    }
  }
  const keep = (piece: string): void => {
    if (length <= most && length + piece.length > most) cut++
    const room = Math.max(0, most - length)
    if (room > 0 && piece !== '') pieces.push(piece.slice(0, room))
    length += piece.length
  }
  const line = (): string => {
    const text = pieces.join('')
    pieces = []
    length = 0
    return text.endsWith('\r') ? text.slice(0, -1) : text
  }

  const linesOf = (text: string): string[] => {
    const [first = '', ...rest] = text.split('\n')
    keep(first)
    return rest.map((piece) => {
      const whole = line()
      keep(piece)
      return whole
    })
  }

  return {
    add: (chunk) => {
      check(chunk)
      return linesOf(decoder.decode(chunk, { stream: true }))
    },
    end: () => {
      check()
      const lines = linesOf(decoder.decode())
      return length === 0 ? lines : [...lines, line()]
    },
    get cut() {
      return cut
    },
    get isUtf8() {
      return isUtf8
    },
  }
}

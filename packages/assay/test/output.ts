/** An output of the command line that keeps what is printed. */
import pico from 'picocolors'
import type { Output } from '../src/cli/output/output.ts'

export function keptOutput(): Output & { readonly printed: () => string } {
  const printed: string[] = []
  return {
    out: (text) => void printed.push(text),
    err: () => {},
    isTerminal: false,
    ready: () => null,
    outIsTerminal: false,
    width: 80,
    colors: pico.createColors(false),
    printed: () => printed.join(''),
  }
}

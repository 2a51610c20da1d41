/**
 * Replaces the types of TypeScript by spaces, with the syntax tree of the oxc parser. Node's own function does the
 * same, but it is WebAssembly, and its first call takes as long as two processes for solutions. This file handles
 * only the syntax that solutions and tests commonly use, and only if the remaining code certainly keeps its meaning.
 * For everything else it returns null, and Node's function is used.
 */
import { parse } from './syntax.ts'
import type { TreeNode } from './tree.ts'

/** Thrown for syntax that this file does not handle. */
class NotHandled extends Error {}

type Range = readonly [start: number, end: number]

/**
 * Matches code that would continue the previous statement if only spaces were between them. JavaScript inserts no
 * semicolon there.
 */
const CONTINUES = /^[([`+\-*/.,?<]/
const MODIFIERS = /\b(?:public|private|protected|readonly|override|declare|abstract)\b/g

export function blankTypes(source: string): string | null {
  const { program, errors } = parse('x.ts', source)
  if (errors.length > 0) return null
  try {
    const blanked = new Blanking(source)
    blanked.visit(program)
    return blanked.result()
  } catch (error) {
    // A range error means that the code is nested too deeply for this file.
    if (error instanceof NotHandled || error instanceof RangeError) return null
    throw error
  }
}

class Blanking {
  readonly #source: string
  readonly #ranges: Range[] = []

  constructor(source: string) {
    this.#source = source
  }

  result(): string {
    let text = ''
    let at = 0
    for (const [start, end] of this.#ranges.toSorted((a, b) => a[0] - b[0])) {
      if (start < at) throw new NotHandled()
      const types = this.#source.slice(start, end)
      text += this.#source.slice(at, start) + types.replaceAll(/[^\n\r\u2028\u2029]/g, ' ')
      at = end
    }
    return text + this.#source.slice(at)
  }

  visit(value: unknown): void {
    if (Array.isArray(value)) for (const one of value as unknown[]) this.visit(one)
    else if (typeof value === 'object' && value !== null && 'type' in value)
      this.#node(value as TreeNode)
  }

  #node(node: TreeNode): void {
    const { type } = node
    if (node['decorators'] !== undefined && (node['decorators'] as unknown[]).length > 0)
      throw new NotHandled()
    const handle = HANDLERS[type]
    if (handle !== undefined) handle(this, node)
    else if (type.startsWith('TS')) throw new NotHandled()
    else this.children(node)
  }

  children(node: TreeNode, except: readonly string[] = []): void {
    for (const [key, value] of Object.entries(node)) if (!except.includes(key)) this.visit(value)
  }

  text(start: number, end: number): string {
    return this.#source.slice(start, end)
  }

  blank(start: number, end: number): void {
    if (end > start) this.#ranges.push([start, end])
  }

  /** Blanks a whole node. Throws if the code before it would then continue with the code after it. */
  blankWhole({ start, end }: TreeNode): void {
    this.ends(end)
    this.blank(start, end)
  }

  /** Throws if the code after this position would continue the code before the blanked part. */
  ends(at: number): void {
    const rest = this.#source.slice(at).replace(/^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)+/, '')
    if (CONTINUES.test(rest)) throw new NotHandled()
  }

  /** Blanks a part of a node, if it exists. The part consists only of types. */
  part(given: unknown, isOneLine = false): void {
    const part = given as TreeNode | null | undefined
    if (part === null || part === undefined) return
    if (isOneLine && this.text(part.start, part.end).includes('\n')) throw new NotHandled()
    this.blank(part.start, part.end)
  }
}

type Handler = (to: Blanking, node: TreeNode) => void

const identifier: Handler = (to, node) => {
  const name = String(node['name'])
  const from = node.start + name.length
  if (to.text(node.start, from) !== name || name === 'this') throw new NotHandled()
  if (to.text(node.end, node.end + 1) === '?' && node['optional'] === true)
    to.blank(from, node.end + 1)
  else to.blank(from, node.end)
}

const pattern: Handler = (to, node) => {
  if (node['optional'] === true) throw new NotHandled()
  to.part(node['typeAnnotation'])
  to.children(node, ['typeAnnotation'])
}

const func: Handler = (to, node) => {
  const isArrow = node.type === 'ArrowFunctionExpression'
  if (node['declare'] === true || node['body'] === null || node['body'] === undefined)
    throw new NotHandled()
  to.part(node['typeParameters'], isArrow)
  const result = node['returnType'] as TreeNode | null | undefined
  to.part(result, isArrow)
  if (isArrow && result !== null && result !== undefined) {
    const body = node['body'] as TreeNode
    if (/\n/.test(to.text(result.end, body.start).split('=>')[0] ?? '')) throw new NotHandled()
  }
  to.children(node, ['typeParameters', 'returnType'])
}

const classHandler: Handler = (to, node) => {
  if (node['declare'] === true) throw new NotHandled()
  if (node['abstract'] === true) {
    if (to.text(node.start, node.start + 9) !== 'abstract ') throw new NotHandled()
    to.blank(node.start, node.start + 8)
  }
  to.part(node['typeParameters'])
  to.part(node['superTypeArguments'])
  const implemented = (node['implements'] ?? []) as TreeNode[]
  const [first] = implemented
  const last = implemented.at(-1)
  if (first !== undefined && last !== undefined) {
    const before = [
      node['superTypeArguments'],
      node['superClass'],
      node['typeParameters'],
      node['id'],
    ]
      .map((one) => (one as TreeNode | null | undefined)?.end ?? 0)
      .reduce((a, b) => Math.max(a, b), node.start)
    const at = to.text(before, first.start).lastIndexOf('implements')
    if (at === -1) throw new NotHandled()
    to.blank(before + at, last.end)
  }
  to.children(node, ['typeParameters', 'superTypeArguments', 'implements'])
}

/** Blanks the modifiers of a class member that have a meaning only for types, such as `private`. */
function modifiers(to: Blanking, node: TreeNode): void {
  const key = node['key'] as TreeNode
  const before = to.text(node.start, key.start)
  if (before.includes('/')) throw new NotHandled()
  for (const { 0: word, index } of before.matchAll(MODIFIERS)) {
    // Without the modifier, a name in brackets or a `*` could be read as a continuation of the previous member.
    if (node['computed'] === true || before.includes('*')) throw new NotHandled()
    to.blank(node.start + index, node.start + index + word.length)
  }
}

const method: Handler = (to, node) => {
  const value = node['value'] as TreeNode
  if (node['optional'] === true) throw new NotHandled()
  if (value.type === 'TSEmptyBodyFunctionExpression') {
    to.blankWhole(node)
    return
  }
  modifiers(to, node)
  to.children(node)
}

const property: Handler = (to, node) => {
  const key = node['key'] as TreeNode
  if (node['declare'] === true) {
    to.blankWhole(node)
    return
  }
  modifiers(to, node)
  const types = node['typeAnnotation'] as TreeNode | null | undefined
  const isMarked = node['optional'] === true || node['definite'] === true
  if (isMarked && (types === null || types === undefined || node['computed'] === true))
    throw new NotHandled()
  if (types !== null && types !== undefined) {
    if (isMarked && !/^\s*[?!]\s*$/.test(to.text(key.end, types.start))) throw new NotHandled()
    to.blank(isMarked ? key.end : types.start, types.end)
    if (node['value'] === null) {
      if (/^(?:get|set|static|async|accessor)$/.test(to.text(key.start, key.end)))
        throw new NotHandled()
      if (to.text(node.end - 1, node.end) !== ';') to.ends(node.end)
    }
  }
  to.children(node, ['typeAnnotation'])
}

const asserted: Handler = (to, node) => {
  const expression = node['expression'] as TreeNode
  const after = /^[^\S\n]*(?:\/\/[^\n]*)?\n/.exec(to.text(node.end, node.end + 2000))
  // Without the type, the expression could continue on the next line.
  if (after !== null) to.ends(node.end)
  to.blank(expression.end, node.end)
  to.visit(expression)
}

const called: Handler = (to, node) => {
  to.part(node['typeArguments'])
  to.children(node, ['typeArguments'])
}

const declaration: Handler = (to, node) => {
  if (node['declare'] === true) to.blankWhole(node)
  else to.children(node)
}

const TYPES_ALONE = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
])

const exported: Handler = (to, node) => {
  const inner = (node['declaration'] ?? null) as TreeNode | null
  if (
    node['exportKind'] === 'type' ||
    (inner !== null && (TYPES_ALONE.has(inner.type) || inner['declare'] === true))
  ) {
    if (node.type === 'ExportDefaultDeclaration') throw new NotHandled()
    to.blankWhole(node)
    return
  }
  specifiers(to, node, 'exportKind')
  if (inner !== null) to.visit(inner)
}

const imported: Handler = (to, node) => {
  if (node['importKind'] === 'type') to.blankWhole(node)
  else specifiers(to, node, 'importKind')
}

/** Blanks the names in braces that are only types, each with the comma after it. */
function specifiers(to: Blanking, node: TreeNode, kind: string): void {
  for (const one of (node['specifiers'] ?? []) as TreeNode[])
    if (one[kind] === 'type') {
      const [after = ''] = /^\s*,/.exec(to.text(one.end, node.end)) ?? []
      to.blank(one.start, one.end + after.length)
    }
}

const whole: Handler = (to, node) => to.blankWhole(node)

const HANDLERS: Readonly<Record<string, Handler>> = {
  Identifier: identifier,
  ObjectPattern: pattern,
  ArrayPattern: pattern,
  RestElement: pattern,
  FunctionDeclaration: func,
  FunctionExpression: func,
  ArrowFunctionExpression: func,
  ClassDeclaration: classHandler,
  ClassExpression: classHandler,
  MethodDefinition: method,
  PropertyDefinition: property,
  VariableDeclaration: declaration,
  CallExpression: called,
  NewExpression: called,
  TaggedTemplateExpression: called,
  ImportDeclaration: imported,
  ExportNamedDeclaration: exported,
  ExportDefaultDeclaration: exported,
  ExportAllDeclaration: exported,
  TSAsExpression: asserted,
  TSSatisfiesExpression: asserted,
  TSNonNullExpression(to, node) {
    if (to.text(node.end - 1, node.end) !== '!') throw new NotHandled()
    to.blank(node.end - 1, node.end)
    to.visit(node['expression'])
  },
  TSInterfaceDeclaration: whole,
  TSTypeAliasDeclaration: whole,
  TSDeclareFunction: whole,
  TSAbstractMethodDefinition: whole,
  TSAbstractPropertyDefinition: whole,
  TSIndexSignature: whole,
  AccessorProperty() {
    throw new NotHandled()
  },
}

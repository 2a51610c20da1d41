/** Walks through a syntax tree, and reads the names in chains such as `expect(x).not.toBe`. */

export interface TreeNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string'

/** Returns all nodes of the tree. Each node comes before the nodes inside it. */
export function* nodesOf(root: unknown): Generator<TreeNode> {
  const left: unknown[] = [root]
  while (left.length > 0) {
    const one = left.pop()
    if (Array.isArray(one)) left.push(...(one as unknown[]).toReversed())
    else if (isNode(one)) {
      yield one
      left.push(...Object.values(one).toReversed())
    }
  }
}

/** The entry that represents a call in the list of names of a chain. */
export const CALL = '()'

/** Returns the names in a chain, from left to right. Null if the chain does not begin with a name. */
export function chainOf(given: unknown): readonly string[] | null {
  const names: string[] = []
  for (let at = given; ;) {
    if (!isNode(at)) return null
    if (at.type === 'Identifier') return [String(at['name']), ...names]
    if (at.type === 'MemberExpression') {
      const property = at['property'] as TreeNode
      if (at['computed'] === true) {
        if (property.type !== 'Literal' || typeof property['value'] !== 'string') return null
        names.unshift(property['value'])
      } else names.unshift(String(property['name']))
      at = at['object']
    } else if (at.type === 'CallExpression' || at.type === 'TaggedTemplateExpression') {
      names.unshift(CALL)
      at = at.type === 'CallExpression' ? at['callee'] : at['tag']
    } else if (at.type === 'ParenthesizedExpression' || at.type === 'ChainExpression')
      at = at['expression']
    else return null
  }
}

export const stringIn = (node: unknown): string | null =>
  isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string'
    ? node['value']
    : null

/** Returns the names that a destructuring pattern binds, each with the property from which it is taken. */
export function* bindingsOf(
  pattern: unknown,
  from: string | null = null,
): Generator<readonly [local: string, property: string | null]> {
  if (!isNode(pattern)) return
  if (pattern.type === 'Identifier') yield [String(pattern['name']), from]
  for (const one of (pattern['properties'] as unknown[] | undefined) ?? []) {
    if (!isNode(one)) continue
    const key = one['key'] as TreeNode | undefined
    const name = key?.type === 'Identifier' ? String(key['name']) : null
    yield* bindingsOf(one['value'] ?? one['argument'], name)
  }
  for (const one of (pattern['elements'] as unknown[] | undefined) ?? []) yield* bindingsOf(one)
  if (pattern.type === 'AssignmentPattern') yield* bindingsOf(pattern['left'], from)
  if (pattern.type === 'RestElement') yield* bindingsOf(pattern['argument'])
}

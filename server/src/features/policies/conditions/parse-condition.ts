import { SyntaxIssue, type Token, tokenize } from './tokenize.ts'

type Position = { offset: number; length: number }

/** The syntax tree of a condition. Positions are those of the name or operator that an issue is reported at. */
export type Node = Position &
  (
    | { kind: 'literal'; value: string | number | bigint | boolean | null }
    | { kind: 'variable'; name: string }
    | { kind: 'field'; target: Node; name: string }
    | { kind: 'has'; target: Node; name: string }
    | { kind: 'index'; target: Node; index: Node }
    /** A function; a name that begins with a dot is a method of the first argument. Operators are functions, too. */
    | { kind: 'call'; name: string; args: Node[] }
    | { kind: 'logic'; operator: '&&' | '||'; operands: Node[] }
    | { kind: 'conditional'; test: Node; yes: Node; no: Node }
    | { kind: 'list'; items: Node[] }
    | { kind: 'map'; entries: { key: Node; value: Node }[] }
    | { kind: 'macro'; name: Macro; range: Node; variable: string; filter: Node | null; body: Node }
  )

const macros = ['all', 'exists', 'exists_one', 'filter', 'map'] as const
export type Macro = (typeof macros)[number]

export const MAX_CONDITION_LENGTH = 4000
/** Nesting of parentheses, calls and operators. */
export const MAX_CONDITION_DEPTH = 60
/** Compiling a pattern can take as long as a decision. */
export const MAX_PATTERNS = 10
const MAX_INT = 2n ** 63n

/** Words that CEL reserves for the languages it is embedded in. */
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const RELATIONS = new Set(['==', '!=', '<', '<=', '>', '>=', 'in'])
const SUMS = new Set(['+', '-'])
const PRODUCTS = new Set(['*', '/', '%'])

/** Parses an expression of CEL; without bytes, unsigned integers, messages and types. Throws `SyntaxIssue`. */
export const parseCondition = (source: string): Node => {
  if (source.length > MAX_CONDITION_LENGTH)
    throw new SyntaxIssue(`The condition has more than ${MAX_CONDITION_LENGTH} characters.`, {
      offset: MAX_CONDITION_LENGTH,
      length: source.length - MAX_CONDITION_LENGTH,
    })
  const tokens = tokenize(source)
  let at = 0
  let depth = 0
  let patterns = 0
  const peek = (): Token => tokens[at] as Token
  const isSign = (text: string): boolean => {
    const token = peek()
    return token.kind === 'sign' && token.text === text
  }
  const takeSign = (text: string): boolean => {
    if (!isSign(text)) return false
    at++
    return true
  }
  const expectSign = (text: string): void => {
    if (!takeSign(text)) throw unexpected(`"${text}"`)
  }
  const unexpected = (expected: string): SyntaxIssue => {
    const token = peek()
    if (token.kind === 'end')
      return new SyntaxIssue(`The condition is not complete: ${expected} is missing.`, token)
    return new SyntaxIssue(
      `Expected ${expected}, found ${source.slice(token.offset, token.offset + token.length)}.`,
      token,
    )
  }
  const nested = <Out>(read: () => Out): Out => {
    if (++depth > MAX_CONDITION_DEPTH) throw new SyntaxIssue('The condition is nested too deeply.', peek())
    const out = read()
    depth--
    return out
  }

  const readExpression = (): Node =>
    nested(() => {
      const test = readLogic('||', () => readLogic('&&', readRelation))
      const sign = peek()
      if (!takeSign('?')) return test
      const yes = readLogic('||', () => readLogic('&&', readRelation))
      expectSign(':')
      return { kind: 'conditional', test, yes, no: readExpression(), ...positionOf(sign) }
    })

  const readLogic = (operator: '&&' | '||', readOperand: () => Node): Node => {
    const first = readOperand()
    const sign = peek()
    if (!isSign(operator)) return first
    const operands = [first]
    while (takeSign(operator)) operands.push(readOperand())
    return { kind: 'logic', operator, operands, ...positionOf(sign) }
  }

  const readRelation = (): Node => readChain(RELATIONS, readSum)
  const readSum = (): Node => readChain(SUMS, readProduct)
  const readProduct = (): Node => readChain(PRODUCTS, readUnary)

  /** Operators of one precedence, from left to right. Each one nests the expression before it. */
  const readChain = (operators: ReadonlySet<string>, readOperand: () => Node): Node => {
    let left = readOperand()
    const before = depth
    for (;;) {
      const sign = peek()
      if (sign.kind !== 'sign' || !operators.has(sign.text)) break
      at++
      left = nest({ kind: 'call', name: sign.text, args: [left, readOperand()], ...positionOf(sign) })
    }
    depth = before
    return left
  }

  const nest = (node: Node): Node => {
    if (++depth > MAX_CONDITION_DEPTH) throw new SyntaxIssue('The condition is nested too deeply.', node)
    return node
  }

  const readUnary = (): Node => {
    const sign = peek()
    if (takeSign('!'))
      return nested(() => ({ kind: 'call', name: '!', args: [readUnary()], ...positionOf(sign) }))
    if (!takeSign('-')) return readMember()
    const token = peek()
    if (token.kind === 'literal' && typeof token.value === 'bigint' && token.value === MAX_INT) {
      at++
      return { kind: 'literal', value: -MAX_INT, ...positionOf(token) }
    }
    return nested(() => ({ kind: 'call', name: 'negate', args: [readUnary()], ...positionOf(sign) }))
  }

  const readMember = (): Node => {
    let node = readPrimary()
    const before = depth
    for (;;) {
      if (takeSign('.')) node = nest(readSelection(node))
      else if (isSign('[')) {
        const sign = peek()
        at++
        const index = readExpression()
        expectSign(']')
        node = nest({ kind: 'index', target: node, index, ...positionOf(sign) })
      } else break
    }
    depth = before
    return node
  }

  const readSelection = (target: Node): Node => {
    const token = peek()
    if (token.kind !== 'name') throw unexpected('the name of a field')
    at++
    if (!takeSign('(')) return { kind: 'field', target, name: token.text, ...positionOf(token) }
    const args = readArguments(')')
    if (token.text === 'matches' && ++patterns > MAX_PATTERNS)
      throw new SyntaxIssue(
        `A condition can have at most ${MAX_PATTERNS} patterns. Combine them with "|".`,
        token,
      )
    if (isMacro(token.text)) return macroOf(token.text, target, args, token)
    return { kind: 'call', name: `.${token.text}`, args: [target, ...args], ...positionOf(token) }
  }

  const readArguments = (end: string): Node[] => {
    const args: Node[] = []
    while (!takeSign(end)) {
      args.push(readExpression())
      if (takeSign(end)) break
      expectSign(',')
    }
    return args
  }

  const readPrimary = (): Node => {
    const token = peek()
    at++
    if (token.kind === 'literal') return literalOf(token)
    if (token.kind === 'name') return readName(token.text, token)
    if (token.kind === 'sign') {
      if (token.text === '(') {
        const inner = readExpression()
        expectSign(')')
        return inner
      }
      if (token.text === '[') return { kind: 'list', items: readArguments(']'), ...positionOf(token) }
      if (token.text === '{') return { kind: 'map', entries: readEntries(), ...positionOf(token) }
    }
    at--
    throw unexpected('a value')
  }

  const readName = (name: string, token: Token): Node => {
    if (RESERVED.has(name)) throw new SyntaxIssue(`"${name}" is a reserved word.`, token)
    if (!takeSign('(')) return { kind: 'variable', name, ...positionOf(token) }
    const args = readArguments(')')
    if (name !== 'has') return { kind: 'call', name, args, ...positionOf(token) }
    const [selected] = args
    if (args.length !== 1 || selected?.kind !== 'field')
      throw new SyntaxIssue('has() takes a field, such as has(args.to).', token)
    return { ...selected, kind: 'has' }
  }

  const readEntries = (): { key: Node; value: Node }[] => {
    const entries: { key: Node; value: Node }[] = []
    while (!takeSign('}')) {
      const key = readExpression()
      expectSign(':')
      entries.push({ key, value: readExpression() })
      if (takeSign('}')) break
      expectSign(',')
    }
    return entries
  }

  const node = readExpression()
  if (peek().kind !== 'end') throw unexpected('an operator')
  return node
}

const literalOf = (token: Extract<Token, { kind: 'literal' }>): Node => {
  if (token.value === MAX_INT) throw new SyntaxIssue('The integer is too large.', token)
  return { kind: 'literal', value: token.value, ...positionOf(token) }
}

const positionOf = ({ offset, length }: Position): Position => ({ offset, length })

const isMacro = (name: string): name is Macro => (macros as readonly string[]).includes(name)

const macroOf = (name: Macro, range: Node, args: Node[], token: Token): Node => {
  const [variable, first, second] = args
  const takesFilter = name === 'map' && args.length === 3
  if (variable?.kind !== 'variable' || !first || (args.length !== 2 && !takesFilter))
    throw new SyntaxIssue(
      `${name}() takes a variable and an expression, such as list.${name}(item, …).`,
      token,
    )
  return {
    kind: 'macro',
    name,
    range,
    variable: variable.name,
    filter: takesFilter ? first : null,
    body: takesFilter ? (second as Node) : first,
    ...positionOf(token),
  }
}

/** Calls `visit` for the node and all nodes below it. */
export const visitNodes = (node: Node, visit: (node: Node) => void): void => {
  visit(node)
  for (const child of childrenOf(node)) visitNodes(child, visit)
}

const childrenOf = (node: Node): Node[] => {
  switch (node.kind) {
    case 'literal':
    case 'variable':
      return []
    case 'field':
    case 'has':
      return [node.target]
    case 'index':
      return [node.target, node.index]
    case 'call':
      return node.args
    case 'logic':
      return node.operands
    case 'conditional':
      return [node.test, node.yes, node.no]
    case 'list':
      return node.items
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value])
    case 'macro':
      return [node.range, ...(node.filter ? [node.filter] : []), node.body]
  }
}

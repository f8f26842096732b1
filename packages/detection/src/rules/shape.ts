/** A pattern for numbers that consist of one or more tokens of known kind and length: `D3 D2 D4`, `L2 D6 L1`, `M9`. */
export type ShapeRule = {
  entity: string
  rule: string
  /** `D` digits, `L` letters, `M` both, each with the number of characters. */
  shapes: readonly string[]
  /** The required separator between the tokens. Default: any separator. */
  separator?: string
  /** Validates the characters without separators, in uppercase. */
  check?: (compact: string) => boolean
  /** The score without and with a context word nearby. */
  baseScore: number
  contextScore: number
}

/** A shape rule with the settings of its entity. */
export type ActiveShape = ShapeRule & { threshold: number; topic: number }

export const KIND_LETTERS = 1
export const KIND_DIGITS = 2
export const KIND_MIXED = 3
const KINDS: Record<string, number> = { L: KIND_LETTERS, D: KIND_DIGITS, M: KIND_MIXED }

const MAX_LENGTH = 31
const SYMBOLS = 128

/** Tokens longer than any shape share one symbol, which no shape uses. */
export const symbolOf = (kind: number, length: number): number => kind * 32 + Math.min(length, MAX_LENGTH)

/** A trie over the symbols of tokens. */
export type ShapeTrie = { next: Int16Array; rules: (readonly ActiveShape[] | undefined)[] }

export const buildTrie = (shapeRules: readonly ActiveShape[]): ShapeTrie => {
  const nodes: Map<number, number>[] = [new Map()]
  const rules: ActiveShape[][] = [[]]
  for (const rule of shapeRules)
    for (const shape of rule.shapes) {
      let node = 0
      for (const part of shape.split(' ')) {
        const symbol = symbolOf(KINDS[part[0] as string] as number, Number(part.slice(1)))
        let next = nodes[node]?.get(symbol)
        if (next === undefined) {
          next = nodes.push(new Map()) - 1
          rules.push([])
          nodes[node]?.set(symbol, next)
        }
        node = next
      }
      rules[node]?.push(rule)
    }
  const next = new Int16Array(nodes.length * SYMBOLS)
  for (const [node, edges] of nodes.entries())
    for (const [symbol, to] of edges) next[node * SYMBOLS + symbol] = to
  return { next, rules: rules.map(list => (list.length > 0 ? list : undefined)) }
}

/** Returns the node after a symbol, or 0 if no shape continues. */
export const nextNode = ({ next }: ShapeTrie, node: number, symbol: number): number =>
  next[node * SYMBOLS + symbol] as number

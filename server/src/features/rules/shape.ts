/** Most identity numbers are one or a few tokens of a known kind and length: `D3 D2 D4`, `L2 D6 L1`, `M9`. */
export type ShapeRule = {
  entity: string
  rule: string
  /** `D` digits, `L` letters, `M` both; the number is how many. */
  shapes: readonly string[]
  /** What must stand between the tokens; without it, anything that people put there. */
  joint?: string
  /** Asked about the characters without separators, in capitals. */
  check?: (compact: string) => boolean
  /** Score without and with a context word nearby. */
  alone: number
  together: number
}

/** A rule with what the settings say of its entity. */
export type AskedShape = ShapeRule & { threshold: number; topic: number }

export const KIND_LETTERS = 1
export const KIND_DIGITS = 2
export const KIND_MIXED = 3
const KINDS: Record<string, number> = { L: KIND_LETTERS, D: KIND_DIGITS, M: KIND_MIXED }

const LONGEST = 31
const SYMBOLS = 128

/** Tokens longer than any shape share one symbol, which leads nowhere. */
export const symbolOf = (kind: number, length: number): number => kind * 32 + Math.min(length, LONGEST)

/** A trie over the symbols of tokens: where it ends for a text, no shape goes on. */
export type ShapeTrie = { next: Int16Array; rules: (readonly AskedShape[] | undefined)[] }

export const buildTrie = (shapeRules: readonly AskedShape[]): ShapeTrie => {
  const nodes: Map<number, number>[] = [new Map()]
  const rules: AskedShape[][] = [[]]
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

export const step = ({ next }: ShapeTrie, node: number, symbol: number): number =>
  next[node * SYMBOLS + symbol] as number

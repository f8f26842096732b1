import { type PatternNode, parsePattern } from './pattern-syntax.ts'

/**
 * Why a regular expression must not run on untrusted text: its backtracking may take more than linear time, or it
 * uses look-around or back-references. Slow patterns are found by two kinds of ambiguity in the pattern's automaton.
 */
export type PatternFault = 'invalid' | 'unsupported' | 'slow'

const faults = new Map<string, PatternFault | null>()

/** Cached, because connector files repeat patterns. */
export const findPatternFault = (source: string): PatternFault | null => {
  const known = faults.get(source)
  if (known !== undefined) return known
  const fault = analyze(source, 'u')
  faults.set(source, fault)
  return fault
}

/** An unanchored search is attempted at every character, which the prefix `[^]*` represents. */
export const findSearchFault = (source: string, flags: 'u' | 'iu'): PatternFault | null =>
  analyze(source, flags) ?? analyze(`[^]*(?:${source})`, flags)

const analyze = (source: string, flags: string): PatternFault | null => {
  const parsed = parsePattern(source, flags)
  if (typeof parsed === 'string') return parsed
  return isSlow(parsed) ? 'slow' : null
}

/** Glushkov automaton: one state per character set of the pattern, and its successors. */
type Automaton = { sets: Set<string>[]; follow: number[][] }
type Part = { nullable: boolean; first: number[]; last: number[] }

/** Repeats up to this length are expanded. A longer one is as slow as an unbounded one. */
const MAX_EXPANDED_REPEATS = 16
const MAX_STATES = 150

const isSlow = (node: PatternNode): boolean => {
  const automaton = buildAutomaton(node)
  return automaton === null || isExponential(automaton) || isPolynomial(automaton)
}

/** Null if the automaton is too large, or if a step is already ambiguous. */
const buildAutomaton = (node: PatternNode): Automaton | null => {
  const sets: Set<string>[] = []
  const edges = new Set<number>()
  let ambiguous = false
  const join = (from: number[], to: number[]): void => {
    for (const a of from)
      for (const b of to) {
        const edge = a * MAX_STATES + b
        ambiguous ||= edges.has(edge)
        edges.add(edge)
      }
  }
  const chain = (parts: Part[]): Part =>
    parts.reduce((before, after) => {
      join(before.last, after.first)
      return {
        nullable: before.nullable && after.nullable,
        first: before.nullable ? [...before.first, ...after.first] : before.first,
        last: after.nullable ? [...before.last, ...after.last] : after.last,
      }
    }, EMPTY)
  const build = (part: PatternNode): Part => {
    if (sets.length >= MAX_STATES) return EMPTY
    switch (part.kind) {
      case 'set':
        sets.push(part.set)
        return { nullable: false, first: [sets.length - 1], last: [sets.length - 1] }
      case 'group':
        return build(part.part)
      case 'sequence':
        return chain(part.parts.map(build))
      case 'choice': {
        const parts = part.parts.map(build)
        return {
          nullable: parts.some(({ nullable }) => nullable),
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
        }
      }
      case 'repeat': {
        if (part.atMost <= MAX_EXPANDED_REPEATS && !hasLoop(part.part))
          return chain(expandRepeat(part).map(build))
        const inner = build(part.part)
        if (part.atMost > 1) join(inner.last, inner.first)
        return { ...inner, nullable: inner.nullable || part.atLeast === 0 }
      }
      case 'optional':
        return { ...build(part.part), nullable: true }
    }
  }
  build(node)
  if (ambiguous || sets.length >= MAX_STATES) return null
  const follow = sets.map(() => [] as number[])
  for (const edge of edges) follow[Math.floor(edge / MAX_STATES)]?.push(edge % MAX_STATES)
  return { sets, follow }
}

const EMPTY: Part = { nullable: true, first: [], last: [] }

const expandRepeat = ({ part, atLeast, atMost }: Extract<PatternNode, { kind: 'repeat' }>): PatternNode[] =>
  Array.from({ length: atMost }, (_, index) => (index < atLeast ? part : { kind: 'optional', part }))

const hasLoop = (node: PatternNode): boolean => {
  if (node.kind === 'set') return false
  if ('parts' in node) return node.parts.some(hasLoop)
  return (node.kind === 'repeat' && node.atMost > MAX_EXPANDED_REPEATS) || hasLoop(node.part)
}

/** Exponential: two different paths with the same text lead from a state back to it. */
const isExponential = ({ sets, follow }: Automaton): boolean => {
  const size = sets.length
  const step = productSteps({ sets, follow }, 2)
  return sets.some((_, state) => {
    const start = state * size + state
    const apart = reachable([start], step).filter(pair => Math.floor(pair / size) !== pair % size)
    return apart.length > 0 && reachable(apart, step).includes(start)
  })
}

/** Polynomial: one text loops in a state, loops in a later state, and also leads from the first to the second. */
const isPolynomial = ({ sets, follow }: Automaton): boolean => {
  const size = sets.length
  const step = productSteps({ sets, follow }, 3)
  const looping = [...sets.keys()].filter(state =>
    reachable([state], place => follow[place] ?? []).includes(state),
  )
  return looping.some(p =>
    looping.some(
      q => p !== q && reachable([(p * size + p) * size + q], step).includes((p * size + q) * size + q),
    ),
  )
}

/**
 * The steps that several paths can take with the same character. The combination of their states is encoded as one
 * number.
 */
const productSteps = ({ sets, follow }: Automaton, paths: 2 | 3) => {
  const size = sets.length
  const overlaps = sets.map(a => sets.map(b => [...a].some(letter => b.has(letter))))
  const shareLetter = (states: number[]): boolean =>
    states.every((a, index) => states.slice(index + 1).every(b => overlaps[a]?.[b]))
  return (place: number): number[] => {
    let places: number[][] = [[]]
    for (let path = paths - 1; path >= 0; path--) {
      const state = Math.floor(place / size ** path) % size
      places = places.flatMap(taken =>
        (follow[state] as number[]).map(next => [...taken, next]).filter(shareLetter),
      )
    }
    return places.map(states => states.reduce((encoded, state) => encoded * size + state, 0))
  }
}

const reachable = (from: number[], step: (place: number) => number[]): number[] => {
  const seen = new Set<number>()
  const queue = [...from]
  for (let place = queue.pop(); place !== undefined; place = queue.pop())
    for (const next of step(place))
      if (!seen.has(next)) {
        seen.add(next)
        queue.push(next)
      }
  return [...seen]
}

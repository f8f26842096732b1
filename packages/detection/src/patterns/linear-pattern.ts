import { type PatternNode, parsePattern } from './pattern-syntax.ts'

/**
 * Why a regular expression must not run on untrusted text: it is invalid, uses lookaround or backreferences, or its
 * backtracking takes more than linear time on some text. The two kinds of ambiguity that cause this are detected in the
 * pattern's automaton.
 */
export type PatternFault = 'invalid' | 'unsupported' | 'slow'

/** Memoized results, because connector files repeat their patterns. */
const knownFaults = new Map<string, PatternFault | null>()
const MAX_KNOWN_FAULTS = 10_000

/** Checks a pattern that is matched at a fixed position (the `u` flag is assumed). Returns null if it is safe. */
export const checkPattern = (source: string): PatternFault | null => {
  const known = knownFaults.get(source)
  if (known !== undefined) return known
  const fault = findFault(source, 'u')
  if (knownFaults.size >= MAX_KNOWN_FAULTS) knownFaults.clear()
  knownFaults.set(source, fault)
  return fault
}

/** Checks a pattern that is searched anywhere in a text. The engine restarts at every character; `[^]*` represents that. */
export const checkSearchPattern = (source: string, flags: 'u' | 'iu'): PatternFault | null =>
  findFault(source, flags) ?? findFault(`[^]*(?:${source})`, flags)

const findFault = (source: string, flags: string): PatternFault | null => {
  const parsed = parsePattern(source, flags)
  if (typeof parsed === 'string') return parsed
  return isSlow(parsed) ? 'slow' : null
}

/** Glushkov's automaton: a state for each character set of the pattern, and its transitions. */
type Automaton = { sets: Set<string>[]; follow: number[][] }
type Part = { nullable: boolean; first: number[]; last: number[] }

/** Shorter repeats are expanded; longer ones are treated like unbounded repeats, which are as slow. */
const MAX_EXPANDED = 16
const MAX_STATES = 150

const isSlow = (node: PatternNode): boolean => {
  const automaton = buildAutomaton(node)
  return automaton === null || isExponential(automaton) || isPolynomial(automaton)
}

/** Returns null if the automaton is too large, or if a transition exists twice. */
const buildAutomaton = (node: PatternNode): Automaton | null => {
  const sets: Set<string>[] = []
  const edges = new Set<number>()
  let isAmbiguous = false
  const connect = (from: number[], to: number[]): void => {
    for (const a of from)
      for (const b of to) {
        const edge = a * MAX_STATES + b
        isAmbiguous ||= edges.has(edge)
        edges.add(edge)
      }
  }
  const chain = (parts: Part[]): Part =>
    parts.reduce((before, after) => {
      connect(before.last, after.first)
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
        if (part.atMost <= MAX_EXPANDED && !hasLoop(part.part)) return chain(expandRepeat(part).map(build))
        const inner = build(part.part)
        if (part.atMost > 1) connect(inner.last, inner.first)
        return { ...inner, nullable: inner.nullable || part.atLeast === 0 }
      }
      case 'optional':
        return { ...build(part.part), nullable: true }
    }
  }
  build(node)
  if (isAmbiguous || sets.length >= MAX_STATES) return null
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
  return (node.kind === 'repeat' && node.atMost > MAX_EXPANDED) || hasLoop(node.part)
}

/** True if two different paths with the same text lead from a state back to it. */
const isExponential = ({ sets, follow }: Automaton): boolean => {
  const size = sets.length
  const step = stepTogether({ sets, follow }, 2)
  return sets.some((_, state) => {
    const start = state * size + state
    const diverged = reach([start], step).filter(pair => Math.floor(pair / size) !== pair % size)
    return diverged.length > 0 && reach(diverged, step).includes(start)
  })
}

/** True if one text leads from state p to p, from p to q, and from q to q. */
const isPolynomial = ({ sets, follow }: Automaton): boolean => {
  const size = sets.length
  const step = stepTogether({ sets, follow }, 3)
  const looping = [...sets.keys()].filter(state =>
    reach([state], position => follow[position] ?? []).includes(state),
  )
  return looping.some(p =>
    looping.some(
      q => p !== q && reach([(p * size + p) * size + q], step).includes((p * size + q) * size + q),
    ),
  )
}

/** Steps that several paths can take with the same character. Their states are encoded as one number. */
const stepTogether = ({ sets, follow }: Automaton, paths: 2 | 3) => {
  const size = sets.length
  const meet = sets.map(a => sets.map(b => [...a].some(character => b.has(character))))
  const shareCharacter = (states: number[]): boolean =>
    states.every((a, index) => states.slice(index + 1).every(b => meet[a]?.[b]))
  return (position: number): number[] => {
    let combinations: number[][] = [[]]
    for (let path = paths - 1; path >= 0; path--) {
      const state = Math.floor(position / size ** path) % size
      combinations = combinations.flatMap(taken =>
        (follow[state] as number[]).map(next => [...taken, next]).filter(shareCharacter),
      )
    }
    return combinations.map(states => states.reduce((encoded, state) => encoded * size + state, 0))
  }
}

/** Returns every position that can be reached in one or more steps. */
const reach = (from: number[], step: (position: number) => number[]): number[] => {
  const seen = new Set<number>()
  const pending = [...from]
  for (let position = pending.pop(); position !== undefined; position = pending.pop())
    for (const next of step(position))
      if (!seen.has(next)) {
        seen.add(next)
        pending.push(next)
      }
  return [...seen]
}

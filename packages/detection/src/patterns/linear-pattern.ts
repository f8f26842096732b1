import { type PatternNode, parsePattern } from './pattern-syntax.ts'

/**
 * Why a regular expression must not run on untrusted text: it is invalid, uses lookaround or backreferences, or
 * backtracking makes it slow on some text. A backtracking engine is slow on a text that the pattern can begin to match in
 * many ways. These are counted in the pattern's automaton.
 */
export type PatternFault = 'invalid' | 'unsupported' | 'slow'

/** The number of runs at a time, or why the pattern must not run. */
type Cost = number | PatternFault

/** Remembered, because connector files repeat their patterns. */
const knownCosts = new Map<string, Cost>()
const MAX_KNOWN_COSTS = 10_000

/** Checks a pattern that is matched at a fixed position (the `u` flag is assumed). Returns null if it is safe. */
export const checkPattern = (source: string): PatternFault | null => faultOf(costAtFixedPosition(source))

/** Checks a pattern that is searched anywhere in a text. Returns null if it is safe. */
export const checkSearchPattern = (source: string, flags: 'u' | 'iu'): PatternFault | null =>
  faultOf(searchCost(source, flags))

const faultOf = (cost: Cost): PatternFault | null => (typeof cost === 'number' ? null : cost)

const costAtFixedPosition = (source: string): Cost => {
  const cost = knownCosts.get(source) ?? findCost(source, 'u')
  if (knownCosts.size >= MAX_KNOWN_COSTS) knownCosts.clear()
  knownCosts.set(source, cost)
  return cost
}

/** The engine restarts the search at every character; `[^]*` represents that. */
const searchCost = (source: string, flags: 'u' | 'iu'): Cost => {
  const cost = findCost(source, flags)
  return typeof cost === 'number' ? findCost(`[^]*(?:${source})`, flags) : cost
}

const findCost = (source: string, flags: string): Cost => {
  const parsed = parsePattern(source, flags)
  if (typeof parsed === 'string') return parsed
  const automaton = buildAutomaton(parsed)
  return (automaton && countRuns(automaton)) ?? 'slow'
}

/** Glushkov's automaton: a state for each character set of the pattern, and its transitions. */
type Automaton = { sets: Set<string>[]; first: number[]; follow: number[][] }
type Part = { nullable: boolean; first: number[]; last: number[] }

/** Shorter repeats are expanded; longer ones are treated like unbounded repeats, which are as slow. */
const MAX_EXPANDED = 16
const MAX_STATES = 150

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
        if (part.atMost <= MAX_EXPANDED && !hasLoop(part.part)) return build(expandRepeat(part))
        const inner = build(part.part)
        if (part.atMost > 1) connect(inner.last, inner.first)
        return { ...inner, nullable: inner.nullable || part.atLeast === 0 }
      }
      case 'optional':
        return { ...build(part.part), nullable: true }
    }
  }
  const { first } = build(node)
  if (isAmbiguous || sets.length >= MAX_STATES) return null
  const follow = sets.map(() => [] as number[])
  for (const edge of edges) follow[Math.floor(edge / MAX_STATES)]?.push(edge % MAX_STATES)
  return { sets, first, follow }
}

const EMPTY: Part = { nullable: true, first: [], last: [] }

/** `a{1,3}` → `a(a(a)?)?`: unlike `aa?a?`, it matches a text in one way. */
const expandRepeat = ({ part, atLeast, atMost }: Extract<PatternNode, { kind: 'repeat' }>): PatternNode => {
  let rest: PatternNode = { kind: 'sequence', parts: [] }
  for (let index = atMost; index > atLeast; index--)
    rest = { kind: 'optional', part: { kind: 'sequence', parts: [part, rest] } }
  return { kind: 'sequence', parts: [...Array.from({ length: atLeast }, () => part), rest] }
}

const hasLoop = (node: PatternNode): boolean => {
  if (node.kind === 'set') return false
  if ('parts' in node) return node.parts.some(hasLoop)
  return (node.kind === 'repeat' && node.atMost > MAX_EXPANDED) || hasLoop(node.part)
}

/** The engine follows every run at every character, in the worst case. */
const MAX_RUNS = 100
const MAX_CONFIGURATIONS = 1000

/** The number of runs in each state after some text. */
type Configuration = number[]

/**
 * The largest number of runs that any text can have through the automaton at the same time; null if it may exceed
 * `MAX_RUNS`. If it grows with the text, so does the time per character. A configuration is explored unless another one
 * has at least as many runs in every state, because that one leads to as many runs later.
 */
const countRuns = ({ sets, first, follow }: Automaton): number | null => {
  const letters = distinctLetters(sets)
  const explored: Configuration[] = []
  const pending: Configuration[] = []
  let most = 1
  const add = (targets: number[], count: number, letter: string, runs: Configuration): void => {
    for (const target of targets) if (sets[target]?.has(letter)) runs[target] = (runs[target] ?? 0) + count
  }
  const visit = (runs: Configuration): void => {
    most = Math.max(
      most,
      runs.reduce((sum, count) => sum + count, 0),
    )
    if (explored.some(other => runs.every((count, state) => count <= (other[state] ?? 0)))) return
    explored.push(runs)
    pending.push(runs)
  }
  const none = (): Configuration => sets.map(() => 0)
  for (const letter of letters) {
    const runs = none()
    add(first, 1, letter, runs)
    visit(runs)
  }
  for (let from = pending.pop(); from; from = pending.pop()) {
    if (most > MAX_RUNS || explored.length > MAX_CONFIGURATIONS) return null
    for (const letter of letters) {
      const runs = none()
      for (const [state, count] of from.entries())
        if (count > 0) add(follow[state] ?? [], count, letter, runs)
      visit(runs)
    }
  }
  return most <= MAX_RUNS ? most : null
}

/** One letter for each combination of sets that a letter can belong to; the last ones belong to the most sets. */
const distinctLetters = (sets: Set<string>[]): string[] => {
  const byMembership = new Map<string, { letter: string; memberships: number }>()
  for (const letter of new Set(sets.flatMap(set => [...set]))) {
    const members = sets.map(set => (set.has(letter) ? 1 : 0))
    const memberships = members.reduce<number>((sum, member) => sum + member, 0)
    byMembership.set(members.join(''), { letter, memberships })
  }
  return [...byMembership.values()]
    .toSorted((a, b) => a.memberships - b.memberships)
    .map(({ letter }) => letter)
}

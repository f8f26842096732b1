import { type PatternNode, parsePattern } from './pattern-syntax.ts'

/**
 * Whether a regular expression may be run on what a stranger typed: one whose backtracking takes more than linear time on some
 * text is refused, and so are look-around and back-references. The two sorts of ambiguity that make it slow are looked for in
 * the pattern's automaton.
 */
export type PatternFault = 'invalid' | 'unsupported' | 'slow'

const judged = new Map<string, PatternFault | null>()

/** Files repeat themselves: what was judged once is known. */
export const judgePattern = (source: string): PatternFault | null => {
  const known = judged.get(source)
  if (known !== undefined) return known
  const fault = judge(source, 'u')
  judged.set(source, fault)
  return fault
}

/** A pattern that is looked for anywhere in a text is tried anew at every character: the `[^]*` stands for that. */
export const judgeSearch = (source: string, flags: 'u' | 'iu'): PatternFault | null =>
  judge(source, flags) ?? judge(`[^]*(?:${source})`, flags)

const judge = (source: string, flags: string): PatternFault | null => {
  const parsed = parsePattern(source, flags)
  if (typeof parsed === 'string') return parsed
  return isSlow(parsed) ? 'slow' : null
}

/** Glushkov's automaton: a state for each letter set of the pattern, and which may follow which. */
type Automaton = { sets: Set<string>[]; follow: number[][] }
type Part = { nullable: boolean; first: number[]; last: number[] }

/** Short repeats are written out; in a longer one, a long run is as slow as one without an end. */
const WRITTEN_OUT = 16
const MAX_STATES = 150

const isSlow = (node: PatternNode): boolean => {
  const automaton = buildAutomaton(node)
  return automaton === null || hasTwoWaysBack(automaton) || hasTwoLoopsForOneText(automaton)
}

/** Null where it is too large to be judged, or a step can be taken in two ways already. */
const buildAutomaton = (node: PatternNode): Automaton | null => {
  const sets: Set<string>[] = []
  const edges = new Set<number>()
  let twice = false
  const join = (from: number[], to: number[]): void => {
    for (const a of from)
      for (const b of to) {
        const edge = a * MAX_STATES + b
        twice ||= edges.has(edge)
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
        if (part.atMost <= WRITTEN_OUT && !hasLoop(part.part)) return chain(writeOut(part).map(build))
        const inner = build(part.part)
        if (part.atMost > 1) join(inner.last, inner.first)
        return { ...inner, nullable: inner.nullable || part.atLeast === 0 }
      }
      case 'optional':
        return { ...build(part.part), nullable: true }
    }
  }
  build(node)
  if (twice || sets.length >= MAX_STATES) return null
  const follow = sets.map(() => [] as number[])
  for (const edge of edges) follow[Math.floor(edge / MAX_STATES)]?.push(edge % MAX_STATES)
  return { sets, follow }
}

const EMPTY: Part = { nullable: true, first: [], last: [] }

const writeOut = ({ part, atLeast, atMost }: Extract<PatternNode, { kind: 'repeat' }>): PatternNode[] =>
  Array.from({ length: atMost }, (_, index) => (index < atLeast ? part : { kind: 'optional', part }))

const hasLoop = (node: PatternNode): boolean => {
  if (node.kind === 'set') return false
  if ('parts' in node) return node.parts.some(hasLoop)
  return (node.kind === 'repeat' && node.atMost > WRITTEN_OUT) || hasLoop(node.part)
}

/** Exponential: two walks by the same letters that leave a state, differ, and meet in it again. */
const hasTwoWaysBack = ({ sets, follow }: Automaton): boolean => {
  const size = sets.length
  const step = walkTogether({ sets, follow }, 2)
  return sets.some((_, state) => {
    const start = state * size + state
    const apart = reach([start], step).filter(pair => Math.floor(pair / size) !== pair % size)
    return apart.length > 0 && reach(apart, step).includes(start)
  })
}

/** Polynomial: a text that loops in one state, loops in a later one, and also leads from the first to the second. */
const hasTwoLoopsForOneText = ({ sets, follow }: Automaton): boolean => {
  const size = sets.length
  const step = walkTogether({ sets, follow }, 3)
  const looping = [...sets.keys()].filter(state =>
    reach([state], place => follow[place] ?? []).includes(state),
  )
  return looping.some(p =>
    looping.some(
      q => p !== q && reach([(p * size + p) * size + q], step).includes((p * size + q) * size + q),
    ),
  )
}

/** Steps that several walks can take by one letter; where they stand is written as one number. */
const walkTogether = ({ sets, follow }: Automaton, walks: 2 | 3) => {
  const size = sets.length
  const meet = sets.map(a => sets.map(b => [...a].some(letter => b.has(letter))))
  const shareLetter = (states: number[]): boolean =>
    states.every((a, index) => states.slice(index + 1).every(b => meet[a]?.[b]))
  return (place: number): number[] => {
    let places: number[][] = [[]]
    for (let walk = walks - 1; walk >= 0; walk--) {
      const state = Math.floor(place / size ** walk) % size
      places = places.flatMap(taken =>
        (follow[state] as number[]).map(next => [...taken, next]).filter(shareLetter),
      )
    }
    return places.map(states => states.reduce((written, state) => written * size + state, 0))
  }
}

const reach = (from: number[], step: (place: number) => number[]): number[] => {
  const seen = new Set<number>()
  const waiting = [...from]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop())
    for (const next of step(place))
      if (!seen.has(next)) {
        seen.add(next)
        waiting.push(next)
      }
  return [...seen]
}

import {
  ASCII,
  type CharacterTest,
  PatternError,
  type PatternNode,
  type Position,
  parsePattern,
  WORD,
  withTable,
} from './pattern-syntax.ts'
import { type Failure, type Meter, OUT_OF_STEPS, spend } from './values.ts'

/** Searches the pattern anywhere in the text. */
export type Pattern = (text: string, meter: Meter) => boolean | Failure

type Instruction =
  | { kind: 'character'; test: CharacterTest; next: number }
  | { kind: 'position'; position: Position; next: number }
  | { kind: 'fork'; targets: number[] }
  | { kind: 'match' }

const MAX_INSTRUCTIONS = 1000
/** States that are visited in the time of one step. */
const STATES_PER_STEP = 2
/** Characters that are skipped in the time of one step, because no match begins with them. */
const SKIPPED_PER_STEP = 32

type Program = {
  instructions: readonly Instruction[]
  start: number
  /** Whether a match can begin with a character; null if a match can also begin without one. */
  canBegin: CharacterTest | null
}

/**
 * Compiles a pattern of RE2 to a nondeterministic automaton. Its states are followed side by side (Thompson's
 * construction), so the time is proportional to the text for any pattern; it never backtracks. Throws `PatternError`.
 */
export const compilePattern = (source: string): Pattern => {
  const { instructions, start } = assemble(parsePattern(source))
  const program = { instructions, start, canBegin: firstCharacters(instructions, start) }
  return (text, meter) => search(program, text, meter)
}

const firstCharacters = (instructions: readonly Instruction[], start: number): CharacterTest | null => {
  const tests: CharacterTest[] = []
  const seen = new Set<number>()
  const open = [start]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (seen.has(index)) continue
    seen.add(index)
    const instruction = instructions[index] as Instruction
    if (instruction.kind === 'fork') open.push(...instruction.targets)
    else if (instruction.kind === 'character') tests.push(instruction.test)
    else return null
  }
  return withTable(code => tests.some(test => test(code)))
}

/** The instructions are assembled from the end of the pattern to its beginning, so each one knows what follows. */
const assemble = (pattern: PatternNode): { instructions: Instruction[]; start: number } => {
  const instructions: Instruction[] = [{ kind: 'match' }]
  const add = (instruction: Instruction): number => {
    if (instructions.length >= MAX_INSTRUCTIONS) throw new PatternError('is too large')
    return instructions.push(instruction) - 1
  }
  const build = (node: PatternNode, next: number): number => {
    switch (node.kind) {
      case 'character':
        return add({ kind: 'character', test: node.test, next })
      case 'position':
        return add({ kind: 'position', position: node.position, next })
      case 'sequence':
        return node.parts.reduceRight((following, part) => build(part, following), next)
      case 'choice':
        return add({ kind: 'fork', targets: node.parts.map(part => build(part, next)) })
      case 'repeat':
        return repeat(node, next)
    }
  }
  const repeat = (
    { part, atLeast, atMost }: Extract<PatternNode, { kind: 'repeat' }>,
    next: number,
  ): number => {
    let start = next
    if (atMost === Number.POSITIVE_INFINITY) {
      const targets = [next]
      start = add({ kind: 'fork', targets })
      targets.push(build(part, start))
    } else
      for (let count = atLeast; count < atMost; count++)
        start = add({ kind: 'fork', targets: [build(part, start), next] })
    for (let count = 0; count < atLeast; count++) start = build(part, start)
    return start
  }
  return { start: build(pattern, 0), instructions }
}

const search = (
  { instructions, start, canBegin }: Program,
  text: string,
  meter: Meter,
): boolean | Failure => {
  /** The position at which an instruction was last reached, so that it is followed once for each character. */
  const reachedAt = new Int32Array(instructions.length).fill(-1)
  let current: number[] = []
  let visited = 0
  /** Follows instructions that consume no character. Returns whether the pattern matches. */
  const follow = (first: number, at: number, states: number[]): boolean => {
    const open = [first]
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (reachedAt[index] === at) continue
      reachedAt[index] = at
      visited++
      const instruction = instructions[index] as Instruction
      if (instruction.kind === 'match') return true
      if (instruction.kind === 'character') states.push(index)
      else if (instruction.kind === 'fork') open.push(...instruction.targets)
      else if (isAt(instruction.position, text, at)) open.push(instruction.next)
    }
    return false
  }
  /** Skips characters that no match begins with, but no more than the remaining steps allow. */
  const skip = (from: number, isBeginning: CharacterTest): number => {
    const end = Math.min(text.length, from + (meter.left + 1) * SKIPPED_PER_STEP)
    let at = from
    while (at < end && text.charCodeAt(at) < ASCII && !isBeginning(text.charCodeAt(at))) at++
    return spend(meter, Math.floor((at - from) / SKIPPED_PER_STEP)) ? at : end
  }
  const spendVisited = (): boolean => {
    const steps = Math.floor(visited / STATES_PER_STEP)
    visited %= STATES_PER_STEP
    return spend(meter, steps)
  }
  for (let at = 0; ; ) {
    if (canBegin && current.length === 0) at = skip(at, canBegin)
    // A match may begin at every character.
    if (follow(start, at, current)) return true
    if (!spendVisited()) return OUT_OF_STEPS
    if (at >= text.length) return false
    const code = text.codePointAt(at) as number
    at += code > 0xffff ? 2 : 1
    visited += current.length
    const next: number[] = []
    for (const index of current) {
      const instruction = instructions[index] as Extract<Instruction, { kind: 'character' }>
      if (instruction.test(code) && follow(instruction.next, at, next)) return true
    }
    current = next
  }
}

const isAt = (position: Position, text: string, at: number): boolean => {
  switch (position) {
    case 'text start':
      return at === 0
    case 'text end':
      return at === text.length
    case 'line start':
      return at === 0 || text[at - 1] === '\n'
    case 'line end':
      return at === text.length || text[at] === '\n'
    case 'word edge':
      return isWord(text, at - 1) !== isWord(text, at)
    case 'inside':
      return isWord(text, at - 1) === isWord(text, at)
  }
}

const isWord = (text: string, at: number): boolean => at >= 0 && at < text.length && WORD(text.charCodeAt(at))

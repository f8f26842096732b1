/** An entity found in a text. Positions are UTF-16 code units of the text; `end` is exclusive. */
export type Match = {
  /** The name of an entity, or the label of a custom rule. */
  entity: string
  start: number
  end: number
  /** From 0 to 1: how likely the match is correct. */
  score: number
  /** The name of the pattern that matched. */
  rule: string
  /** Context words that raised the score, nearest first. */
  context: readonly string[]
}

/** The position of a match, or of a part of one, in a JSON value: in the name of a member, or in a value. */
export type Place = { path: (string | number)[]; in: 'key' | 'value'; start: number; end: number }

/** An entity found in a JSON value. A match that is split over neighboring texts has several places. */
export type ValueMatch = Omit<Match, 'start' | 'end'> & { places: [Place, ...Place[]] }

/** A match of a pattern, with its scores without and with a context word nearby. */
export type PatternMatch = {
  entity: string
  rule: string
  start: number
  end: number
  baseScore: number
  contextScore: number
}

/** A pattern match that reaches its threshold, with the distance of the nearest context word. */
export type Candidate = PatternMatch & { distance: number }

/** Adds a match to the candidates. Returns false if it does not reach the entity's threshold. */
export type AddMatch = (match: PatternMatch) => boolean

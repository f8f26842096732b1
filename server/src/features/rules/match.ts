/** Something that was found in a text. Offsets are UTF-16 code units of the text as it was given; `end` is exclusive. */
export type Match = {
  /** An entity's name, or the label of a custom rule. */
  entity: string
  start: number
  end: number
  score: number
  /** Which pattern found it, for people who ask why. */
  rule: string
  /** Words nearby that raised the score, nearest first. */
  context: readonly string[]
}

/** Where in a JSON value a piece of a match stands: in the text of a key, or in a value. */
export type Place = { path: (string | number)[]; in: 'key' | 'value'; start: number; end: number }

/** A match in a JSON value; it has more than one place where it is split over neighbouring pieces of text. */
export type ValueMatch = Omit<Match, 'start' | 'end'> & { places: [Place, ...Place[]] }

/** What a pattern found: its scores without and with a context word nearby. */
export type Sighting = {
  entity: string
  rule: string
  start: number
  end: number
  alone: number
  together: number
}
/** A sighting that reaches its threshold, with how far away the nearest context word is. */
export type Candidate = Sighting & { distance: number }

/** Whether it was taken. */
export type Offer = (sighting: Sighting) => boolean

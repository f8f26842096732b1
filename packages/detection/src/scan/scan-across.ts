import type { Rules } from '../rules/compile-rules.ts'
import { NO_KEY_CONTEXT } from './context.ts'
import type { Place, ValueMatch } from './match.ts'
import { scanOneText } from './scan-text.ts'
import type { Scanner } from './scanner.ts'
import type { TextPiece } from './text-piece.ts'

/** No entity is longer, so the middle of a longer piece is not scanned again. */
const REACH = 256

/** Finds entities that neighboring pieces contain only together. Entities within one piece are found by `scanValue`. */
export const scanAcross = (scanner: Scanner, all: readonly TextPiece[]): ValueMatch[] => {
  const { rules, checkTime } = scanner
  const pieces = all.filter(({ text }) => text !== '')
  const mayCrossAfter = (n: number): boolean => {
    checkTime()
    return mayCross(textAt(pieces, n), textAt(pieces, n + 1), rules)
  }
  const found: ValueMatch[] = []
  for (let first = 0, last = 0; first < pieces.length; first = ++last) {
    while (last + 1 < pieces.length && mayCrossAfter(last)) last++
    if (last > first)
      for (const match of scanJoined(scanner, pieces.slice(first, last + 1))) found.push(match)
  }
  return found
}

const textAt = (pieces: readonly TextPiece[], n: number): string => (pieces[n] as TextPiece).text

/** A match across two pieces needs a digit, an `@`, the header of a key or a split word, unless words alone can match. */
const mayCross = (left: string, right: string, { enabled, custom }: Rules): boolean =>
  enabled.words ||
  custom.length > 0 ||
  (CONTINUES.test(left.slice(-1)) && CONTINUES.test(right.slice(0, 1))) ||
  MAY_MATCH.test(left.slice(-REACH)) ||
  MAY_MATCH.test(right.slice(0, REACH))

const CONTINUES = /[\w+/:-]/
/** Characters outside ASCII may be digits of another script. */
const MAY_MATCH = /[0-9@]|-----B|[^\0-\x7f]/

/** A part of a piece in the joined text. `shift` maps a position in the joined text to one in the piece. */
type Stretch = { piece: TextPiece; from: number; to: number; shift: number }

const scanJoined = (scanner: Scanner, pieces: readonly TextPiece[]): ValueMatch[] => {
  const { joined, stretches } = joinPieces(pieces)
  let first = 0
  return scanOneText(scanner, joined, NO_KEY_CONTEXT).flatMap(({ start, end, ...match }) => {
    while (first < stretches.length && (stretches[first]?.to as number) <= start) first++
    const places: Place[] = []
    for (let n = first; n < stretches.length && (stretches[n]?.from as number) < end; n++) {
      const { piece, from, to, shift } = stretches[n] as Stretch
      const [a, b] = [Math.max(start, from) + shift, Math.min(end, to) + shift]
      if (b > a) places.push({ path: piece.path, in: 'value', start: a, end: b })
    }
    const [head, ...rest] = places
    return head && rest.length > 0 ? [{ ...match, places: [head, ...rest] }] : []
  })
}

/** Joins pieces; of a long piece, only its start and its end. */
const joinPieces = (pieces: readonly TextPiece[]): { joined: string; stretches: Stretch[] } => {
  let joined = ''
  const stretches: Stretch[] = []
  for (const piece of pieces) {
    const { length } = piece.text
    const cuts: [number, number][] =
      length <= REACH * 2
        ? [[0, length]]
        : [
            [0, REACH],
            [length - REACH, length],
          ]
    for (const [n, [from, to]] of cuts.entries()) {
      if (n > 0) joined += '\n\n\n\n'
      stretches.push({
        piece,
        from: joined.length,
        to: joined.length + to - from,
        shift: from - joined.length,
      })
      joined += piece.text.slice(from, to)
    }
  }
  return { joined, stretches }
}

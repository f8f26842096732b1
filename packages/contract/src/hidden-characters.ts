/** A part of a text: readable as it is, or one hidden character with the number of its repetitions. */
export type RevealedPart = { text: string; mark?: never } | { mark: string; text?: never }

/** Joins emoji, as in a family or a profession. */
const EMOJI_JOINER =
  '\\u200D(?<=\\p{Extended_Pictographic}[\\uFE0F\\p{Emoji_Modifier}]{0,2}\\u200D)(?=\\p{Extended_Pictographic})'
const EMOJI_STYLE = '\\uFE0F(?<=\\p{Emoji}\\uFE0F)'
/**
 * Characters that a person cannot see, or that change how others are shown: controls, bidirectional marks, zero-width characters, tags,
 * variation selectors, unusual spaces, private use, lone surrogates, unassigned code points. Line breaks, tabs and the parts of emoji are shown as they are.
 */
const HIDDEN = new RegExp(
  `((?!\\r\\n|${EMOJI_JOINER}|${EMOJI_STYLE})(?:[^\\P{Cc}\\n\\t]|\\p{DI}|\\p{Cf}|\\p{Co}|\\p{Cs}|\\p{Cn}|\\p{Zl}|\\p{Zp}|[^\\P{Zs} ]|\\u2800))\\1*`,
  'gu',
)

export const hasHidden = (text: string): boolean => text.search(HIDDEN) !== -1

/** The text with its hidden characters marked, such as "⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩". */
export const revealHidden = (text: string): RevealedPart[] => {
  const parts: RevealedPart[] = []
  let end = 0
  for (const { 0: run, 1: character = '', index } of text.matchAll(HIDDEN)) {
    if (index > end) parts.push({ text: text.slice(end, index) })
    parts.push({ mark: markOf(character, run.length / character.length) })
    end = index + run.length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}

const WORD = /[\p{L}\p{M}]+/gu
/** Alphabets with letters that look like Latin ones. */
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

/** Words that mix Latin letters with similar ones of another alphabet, and these letters: "pаypal (U+0430)". */
export const mixedWords = (text: string): string[] => {
  if (!LOOKALIKE.test(text)) return []
  const words = (text.match(WORD) ?? []).filter(
    word => /\p{Script=Latin}/u.test(word) && LOOKALIKE.test(word),
  )
  return [...new Set(words)].map(word => {
    const letters = [...new Set(word)].filter(letter => LOOKALIKE.test(letter))
    return `${word} (${letters.map(codePointOf).join(', ')})`
  })
}

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`

const markOf = (character: string, count: number): string =>
  `⟨${codePointOf(character)} ${nameOf(character)}${count > 1 ? ` ×${count}` : ''}⟩`

const NAMES: Readonly<Record<number, string>> = {
  0x00: 'NULL',
  0x08: 'BACKSPACE',
  0x0d: 'CARRIAGE RETURN',
  0x1b: 'ESCAPE',
  0x7f: 'DELETE',
  0xa0: 'NO-BREAK SPACE',
  0xad: 'SOFT HYPHEN',
  0x34f: 'COMBINING GRAPHEME JOINER',
  0x61c: 'ARABIC LETTER MARK',
  0x115f: 'HANGUL CHOSEONG FILLER',
  0x1160: 'HANGUL JUNGSEONG FILLER',
  0x2007: 'FIGURE SPACE',
  0x2009: 'THIN SPACE',
  0x200a: 'HAIR SPACE',
  0x200b: 'ZERO WIDTH SPACE',
  0x200c: 'ZERO WIDTH NON-JOINER',
  0x200d: 'ZERO WIDTH JOINER',
  0x200e: 'LEFT-TO-RIGHT MARK',
  0x200f: 'RIGHT-TO-LEFT MARK',
  0x2028: 'LINE SEPARATOR',
  0x2029: 'PARAGRAPH SEPARATOR',
  0x202a: 'LEFT-TO-RIGHT EMBEDDING',
  0x202b: 'RIGHT-TO-LEFT EMBEDDING',
  0x202c: 'POP DIRECTIONAL FORMATTING',
  0x202d: 'LEFT-TO-RIGHT OVERRIDE',
  0x202e: 'RIGHT-TO-LEFT OVERRIDE',
  0x202f: 'NARROW NO-BREAK SPACE',
  0x2060: 'WORD JOINER',
  0x2066: 'LEFT-TO-RIGHT ISOLATE',
  0x2067: 'RIGHT-TO-LEFT ISOLATE',
  0x2068: 'FIRST STRONG ISOLATE',
  0x2069: 'POP DIRECTIONAL ISOLATE',
  0x2800: 'BRAILLE PATTERN BLANK',
  0x3000: 'IDEOGRAPHIC SPACE',
  0x3164: 'HANGUL FILLER',
  0xfeff: 'ZERO WIDTH NO-BREAK SPACE',
  0xffa0: 'HALFWIDTH HANGUL FILLER',
}

/** Names of the characters without an entry above, by the first kind that they belong to. */
const KINDS: readonly [RegExp, string][] = [
  [/\p{Cc}/u, 'CONTROL CHARACTER'],
  [/\p{Variation_Selector}/u, 'VARIATION SELECTOR'],
  [/\p{Zs}/u, 'UNUSUAL SPACE'],
  [/\p{Co}/u, 'PRIVATE USE'],
  [/\p{Cs}/u, 'LONE SURROGATE'],
  [/\p{Cf}/u, 'FORMAT CHARACTER'],
  [/\p{DI}/u, 'INVISIBLE CHARACTER'],
]

const nameOf = (character: string): string => {
  const codePoint = character.codePointAt(0) as number
  // Tags repeat the printable characters of ASCII invisibly.
  if (codePoint > 0xe0020 && codePoint < 0xe007f) return `TAG ${String.fromCodePoint(codePoint - 0xe0000)}`
  return NAMES[codePoint] ?? KINDS.find(([kind]) => kind.test(character))?.[1] ?? 'UNASSIGNED CODE POINT'
}

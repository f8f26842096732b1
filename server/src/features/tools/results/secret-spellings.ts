import { foldText } from '@carabiner/detection/text'

/** Shorter secrets occur in ordinary words: they count only between characters that are not letters or digits. */
const MIN_LENGTH = 6
/** Even shorter secrets are not removed, because nearly every text contains them. */
export const MIN_WORD_LENGTH = 4
/** Shorter pieces of base64 or hex occur in other data by chance. */
const MIN_ENCODED_LENGTH = 8
/** Shorter secrets occur by chance in text whose spaces are removed. */
export const MIN_BROKEN_LENGTH = 12

/** How a secret may be written. The functions are called for few results, and building their spellings takes longer than most scans. */
export type Spellings = {
  /** Anywhere in a text. */
  texts: readonly string[]
  /** Only between other characters than letters and digits. */
  words: readonly string[]
  /** Only in a text that `mayEncode` accepts. */
  encoded: () => string[]
  /** Anywhere in a text without its spaces and line breaks. */
  unbroken: () => string[]
  /** Halves of the secrets. One of them is whole if there are a few spaces or line breaks in the other. */
  halves: readonly string[]
}

export const spellingsOf = (secrets: readonly string[]): Spellings => {
  const spellings = distinct(secrets.flatMap(secret => [secret, foldText(secret).text]))
  const whole = spellings.filter(({ length }) => length >= MIN_LENGTH)
  const long = whole.filter(({ length }) => length >= MIN_BROKEN_LENGTH)
  const encoded = [...whole.map(quotedPrintable), ...whole.flatMap(hexOf), ...whole.flatMap(base64Of)]
  return {
    texts: distinct([...whole, ...encoded.filter(({ length }) => length >= MIN_ENCODED_LENGTH)]),
    words: spellings.filter(({ length }) => length >= MIN_WORD_LENGTH && length < MIN_LENGTH),
    encoded: () =>
      distinct([
        ...whole.flatMap(base64Of).flatMap(base64Of),
        ...whole.flatMap(separatedBytes),
        ...whole.map(tagged),
      ]),
    unbroken: () =>
      distinct([...long, ...long.map(quotedPrintable), ...long.flatMap(base64Of)]).map(text =>
        text.replace(/\s+/g, ''),
      ),
    halves: long.flatMap(halvesOf),
  }
}

/** As long as a short secret in base64 twice. */
const MIN_RUN_LENGTH = 24
const MIN_SEPARATED_BYTES = 5
const SEPARATORS = ' :,-='
/** The length of as many bytes with separators. */
const MIN_ENCODED_TEXT = 3 * MIN_SEPARATED_BYTES - 1

/**
 * Whether a text has a long run of letters and digits, pairs of them with separators, or tag characters. One pass over the characters, because
 * searching for every spelling, or with a regular expression, would take several times as long as the rest of the search.
 */
export const mayEncode = (text: string): boolean => {
  if (text.length < MIN_ENCODED_TEXT) return false
  let run = 0
  let pairs = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (LETTERS_AND_DIGITS[code] === 1) {
      if (++run === MIN_RUN_LENGTH) return true
      continue
    }
    if (code === TAG_CHARACTER) return true
    if (run > 0) pairs = run === 2 ? pairs + 1 : 0
    if (pairs === MIN_SEPARATED_BYTES) return true
    if (pairs > 0 && !SEPARATORS.includes(text[at] as string)) pairs = 0
    run = 0
  }
  return run === 2 && pairs === MIN_SEPARATED_BYTES - 1
}

/** The first half of each. */
const TAG_CHARACTER = 0xdb40

/** By character code; other characters have none. A table is faster than comparisons. */
const LETTERS_AND_DIGITS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
)

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]

const hexOf = (secret: string): string[] => {
  const hex = Buffer.from(secret).toString('hex')
  return [hex, hex.toUpperCase()]
}

/** In both alphabets, and at each of the three alignments within a longer text. */
const base64Of = (secret: string): string[] => {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
    // Only characters whose six bits belong to the secret.
    const inner = text
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((text.length * 8) / 6))
    return distinct([inner, inner.replaceAll('+', '-').replaceAll('/', '_')])
  })
}

/** RFC 2045 §6.7. */
const quotedPrintable = (secret: string): string =>
  secret.replace(/[^\x20-\x3c\x3e-\x7e]+/g, characters => bytesWith('=', characters))

const bytesWith = (prefix: string, text: string): string =>
  [...Buffer.from(text)].map(byte => prefix + byte.toString(16).padStart(2, '0').toUpperCase()).join('')

const separatedBytes = (secret: string): string[] => {
  const separated = [' ', ':', '-', ', '].map(
    separator => hexOf(secret)[0]?.match(/../g)?.join(separator) ?? '',
  )
  return [...separated, ...separated.map(text => text.toUpperCase()), bytesWith('=', secret)]
}

/** Invisible to people, and read by models. */
const tagged = (secret: string): string =>
  Array.from(secret, character => String.fromCodePoint(0xe0000 + (character.codePointAt(0) as number))).join(
    '',
  )

const halvesOf = (secret: string): string[] => {
  const middle = Math.floor(secret.length / 2)
  return [secret.slice(0, middle), secret.slice(middle)]
}

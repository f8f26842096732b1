import { codeAt, isAlphanumeric, isAsciiLetter } from './characters.ts'
import type { Offer } from './match.ts'

const SCHEMES = new Set([
  'http',
  'https',
  'ftp',
  'ftps',
  'sftp',
  'ws',
  'wss',
  'ssh',
  'git',
  'file',
  's3',
  'jdbc',
  'postgres',
  'postgresql',
  'mysql',
  'mongodb',
  'redis',
  'amqp',
])
const LONGEST_SCHEME = 10
/** What ends an address: white space, quotes, and what RFC 3986 has no use for. */
const ENDS = /[\s"'<>`{}|\\^[\]]|$/g
const TRAILING = new Set('.,;:!?)*_'.split('').map(sign => sign.charCodeAt(0)))

/** From the colon of `://` outwards. Answers where it ends, or where to go on. */
export const findUrl = (text: string, colon: number, offer: Offer): number => {
  if (codeAt(text, colon + 1) !== 47 || codeAt(text, colon + 2) !== 47) return colon
  let start = colon
  while (start > 0 && colon - start <= LONGEST_SCHEME && isAsciiLetter(codeAt(text, start - 1))) start--
  if (!SCHEMES.has(text.slice(start, colon).toLowerCase())) return colon
  return offerUrl(text, start, colon + 3, offer)
}

/** `www.` without a scheme. */
export const findWww = (text: string, start: number, offer: Offer): number =>
  codeAt(text, start + 3) === 46 && isAlphanumeric(codeAt(text, start + 4))
    ? offerUrl(text, start, start + 4, offer)
    : start

const offerUrl = (text: string, start: number, from: number, offer: Offer): number => {
  ENDS.lastIndex = from
  const stop = ENDS.exec(text)?.index ?? text.length
  let end = stop
  while (end > from && TRAILING.has(codeAt(text, end - 1)) && !closes(text, from, end)) end--
  if (end > from) offer({ entity: 'URL', rule: 'url', start, end, alone: 0.7, together: 0.7 })
  return stop
}

/** A bracket that was opened inside belongs to it, as in `…/Set_(card_game)`. */
const closes = (text: string, from: number, end: number): boolean =>
  codeAt(text, end - 1) === 41 && text.slice(Math.max(from, end - 200), end).includes('(')

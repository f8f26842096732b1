import type { AddMatch } from '../scan/match.ts'
import { codeAt, isAlphanumeric, isAsciiLetter } from '../text/characters.ts'

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
const MAX_SCHEME_LENGTH = 10
/** Characters that end a URL: white space, quotes, and characters that RFC 3986 does not allow. */
const TERMINATORS = /[\s"'<>`{}|\\^[\]]|$/g
const TRAILING = new Set('.,;:!?)*_'.split('').map(character => character.charCodeAt(0)))

/** Reads outwards from the colon of `://`. Returns where to continue. */
export const findUrl = (text: string, colon: number, addMatch: AddMatch): number => {
  if (codeAt(text, colon + 1) !== 47 || codeAt(text, colon + 2) !== 47) return colon
  let start = colon
  while (start > 0 && colon - start <= MAX_SCHEME_LENGTH && isAsciiLetter(codeAt(text, start - 1))) start--
  if (!SCHEMES.has(text.slice(start, colon).toLowerCase())) return colon
  return addUrl(text, start, colon + 3, addMatch)
}

/** Finds a URL without a scheme that starts with `www.`. Returns where to continue. */
export const findWww = (text: string, start: number, addMatch: AddMatch): number =>
  codeAt(text, start + 3) === 46 && isAlphanumeric(codeAt(text, start + 4))
    ? addUrl(text, start, start + 4, addMatch)
    : start

const addUrl = (text: string, start: number, from: number, addMatch: AddMatch): number => {
  TERMINATORS.lastIndex = from
  const stop = TERMINATORS.exec(text)?.index ?? text.length
  let end = stop
  while (end > from && TRAILING.has(codeAt(text, end - 1)) && !closesBracket(text, from, end)) end--
  if (end > from) addMatch({ entity: 'URL', rule: 'url', start, end, baseScore: 0.7, contextScore: 0.7 })
  return stop
}

/** True if the closing bracket belongs to the URL, as in `…/Set_(card_game)`. */
const closesBracket = (text: string, from: number, end: number): boolean =>
  codeAt(text, end - 1) === 41 && text.slice(Math.max(from, end - 200), end).includes('(')

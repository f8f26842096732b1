import type { AddMatch } from '../scan/match.ts'
import { classOf, codeAt, isAlphanumeric, OTHER } from '../text/characters.ts'

const MAX_LOCAL_LENGTH = 64
const MAX_DOMAIN_LENGTH = 253
const DOT = 46
const HYPHEN = 45
/** `. _ % + - ' & ~`. The other characters that RFC 5322 allows are delimiters in most texts. */
const LOCAL_SIGNS = new Set([DOT, 95, 37, 43, HYPHEN, 39, 38, 126])
/** `icon@2x.png` is a file name. */
const FILE_EXTENSIONS = new Set([
  'png',
  'jpg',
  'jpeg',
  'gif',
  'svg',
  'webp',
  'css',
  'js',
  'json',
  'html',
  'map',
])

/** Reads outwards from the `@`, so that every character is read at most twice. */
export const findEmailAddress = (text: string, at: number, addMatch: AddMatch): void => {
  const start = readLocal(text, at)
  if (start === at) return
  const end = readDomain(text, at + 1)
  if (end < 0) return
  // `git@github.com:owner/name` is a repository.
  if (codeAt(text, end) === 58 && text.slice(start, at) === 'git') return
  addMatch({ entity: 'EMAIL_ADDRESS', rule: 'email', start, end, baseScore: 0.95, contextScore: 1 })
}

const readLocal = (text: string, at: number): number => {
  let start = at
  const limit = Math.max(0, at - MAX_LOCAL_LENGTH)
  while (start > limit && isLocalCharacter(codeAt(text, start - 1))) start--
  // Leading signs do not belong to the address, and the local part cannot end in a dot.
  while (start < at && LOCAL_SIGNS.has(codeAt(text, start)) && codeAt(text, start) !== 95) start++
  return codeAt(text, at - 1) === DOT ? at : start
}

const isLocalCharacter = (code: number): boolean => classOf(code) !== OTHER || LOCAL_SIGNS.has(code)

/** Returns the end of the domain, or -1. The last label has at least two letters. */
const readDomain = (text: string, from: number): number => {
  const limit = Math.min(text.length, from + MAX_DOMAIN_LENGTH)
  let end = from
  let label = from
  let lastDot = -1
  let lastValid = -1
  for (; end < limit; end++) {
    const code = codeAt(text, end)
    if (code === DOT) {
      if (end === label) break
      if (lastDot >= 0 && isTopLevel(text, label, end)) lastValid = end
      lastDot = end
      label = end + 1
    } else if (code !== HYPHEN && !isAlphanumeric(code) && classOf(code) === OTHER) break
  }
  if (lastDot >= 0 && isTopLevel(text, label, end)) lastValid = end
  return lastValid
}

const isTopLevel = (text: string, start: number, end: number): boolean => {
  if (end - start < 2 || end - start > 63) return false
  const label = text.slice(start, end)
  return /^(?:\p{L}{2,}|xn--[a-z0-9-]{2,})$/iu.test(label) && !FILE_EXTENSIONS.has(label.toLowerCase())
}

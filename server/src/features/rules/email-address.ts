import { classOf, codeAt, isAlphanumeric, OTHER } from './characters.ts'
import type { Offer } from './match.ts'

const LONGEST_LOCAL = 64
const LONGEST_DOMAIN = 253
const DOT = 46
const HYPHEN = 45
/** `. _ % + - ' & ~`: what RFC 5322 allows besides is a delimiter in most texts. */
const LOCAL_SIGNS = new Set([DOT, 95, 37, 43, HYPHEN, 39, 38, 126])
/** `icon@2x.png` is a file. */
const FILES = new Set(['png', 'jpg', 'jpeg', 'gif', 'svg', 'webp', 'css', 'js', 'json', 'html', 'map'])

/** From the `@` outwards, so that no text is read more than twice. */
export const findEmailAddress = (text: string, at: number, offer: Offer): void => {
  const start = readLocal(text, at)
  if (start === at) return
  const end = readDomain(text, at + 1)
  if (end < 0) return
  // `git@github.com:owner/name` is the address of a repository.
  if (codeAt(text, end) === 58 && text.slice(start, at) === 'git') return
  offer({ entity: 'EMAIL_ADDRESS', rule: 'email', start, end, alone: 0.95, together: 1 })
}

const readLocal = (text: string, at: number): number => {
  let start = at
  const limit = Math.max(0, at - LONGEST_LOCAL)
  while (start > limit && isLocal(codeAt(text, start - 1))) start--
  // Signs at its beginning are not of it, nor may it end in a dot.
  while (start < at && LOCAL_SIGNS.has(codeAt(text, start)) && codeAt(text, start) !== 95) start++
  return codeAt(text, at - 1) === DOT ? at : start
}

const isLocal = (code: number): boolean => classOf(code) !== OTHER || LOCAL_SIGNS.has(code)

/** Where the domain ends, or −1. Its last label has two letters or more. */
const readDomain = (text: string, from: number): number => {
  const limit = Math.min(text.length, from + LONGEST_DOMAIN)
  let end = from
  let label = from
  let lastDot = -1
  let lastGood = -1
  for (; end < limit; end++) {
    const code = codeAt(text, end)
    if (code === DOT) {
      if (end === label) break
      if (lastDot >= 0 && isTopLevel(text, label, end)) lastGood = end
      lastDot = end
      label = end + 1
    } else if (code !== HYPHEN && !isAlphanumeric(code) && classOf(code) === OTHER) break
  }
  if (lastDot >= 0 && isTopLevel(text, label, end)) lastGood = end
  return lastGood
}

const isTopLevel = (text: string, start: number, end: number): boolean => {
  if (end - start < 2 || end - start > 63) return false
  const label = text.slice(start, end)
  return /^(?:\p{L}{2,}|xn--[a-z0-9-]{2,})$/iu.test(label) && !FILES.has(label.toLowerCase())
}

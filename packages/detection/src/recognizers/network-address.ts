import { isIPv6 } from 'node:net'
import type { AddMatch } from '../scan/match.ts'
import { classOf, codeAt, isAlphanumeric, isDigit, isHex, OTHER } from '../text/characters.ts'

const IPV4 =
  /(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}(?!\d|\.\d)(?:\/(?:3[0-2]|[12]?\d)(?!\d))?/y
const MAX_IPV6_LENGTH = 45
const DOT = 46
const COLON = 58

/** `isVersion` returns true if a word like "version" is near. */
export const findIpv4 = (
  text: string,
  start: number,
  isVersion: (start: number) => boolean,
  addMatch: AddMatch,
): void => {
  const before = codeAt(text, start - 1)
  if (before === DOT && isDigit(codeAt(text, start - 2))) return
  IPV4.lastIndex = start
  const found = IPV4.exec(text)
  if (!found || isAlphanumeric(codeAt(text, IPV4.lastIndex))) return
  const baseScore = isVersion(start) ? 0.2 : 0.6
  addMatch({
    entity: 'IP_ADDRESS',
    rule: 'ipv4',
    start,
    end: start + found[0].length,
    baseScore,
    contextScore: Math.max(baseScore, 0.2) + 0.3,
  })
}

/** Examines the run of hexadecimal groups around a colon. Returns the end of the run, so that none is read twice. */
export const findIpv6 = (text: string, colon: number, addMatch: AddMatch): number => {
  let start = colon
  while (start > 0 && colon - start < 5 && isHex(codeAt(text, start - 1))) start--
  let end = colon
  while (end < text.length && isAddressCharacter(codeAt(text, end))) end++
  const isBoundary = start === 0 || classOf(codeAt(text, start - 1)) === OTHER
  if (
    isBoundary &&
    end - start <= MAX_IPV6_LENGTH + 1 &&
    (end === text.length || classOf(codeAt(text, end)) === OTHER)
  )
    addIpv6(text, start, end, addMatch)
  return end
}

const isAddressCharacter = (code: number): boolean => isHex(code) || code === COLON || code === DOT

const addIpv6 = (text: string, start: number, end: number, addMatch: AddMatch): void => {
  let last = end
  while (last > start && (codeAt(text, last - 1) === DOT || isLoneColon(text, last - 1))) last--
  let colons = 0
  let digits = 0
  let groups = 0
  for (let at = start; at < last; at++) {
    const code = codeAt(text, at)
    if (code === COLON) colons++
    else if (at === start || codeAt(text, at - 1) === COLON) groups++
    if (isDigit(code)) digits++
  }
  // `a::b` is usually a name in a program, and `12:34:56` a time.
  if (colons < 2 || digits === 0 || (colons < 7 && !text.slice(start, last).includes('::'))) return
  const address = text.slice(start, last)
  if (!isIPv6(address)) return
  const baseScore = groups > 1 || address === '::1' ? 0.8 : 0.3
  addMatch({ entity: 'IP_ADDRESS', rule: 'ipv6', start, end: last, baseScore, contextScore: 0.95 })
}

const isLoneColon = (text: string, at: number): boolean =>
  codeAt(text, at) === COLON && codeAt(text, at - 1) !== COLON

/** Finds six pairs of hexadecimal digits with the same separator. */
export const findMacAddress = (text: string, start: number, addMatch: AddMatch): boolean => {
  const separator = codeAt(text, start + 2)
  if (codeAt(text, start - 1) === separator) return false
  for (let group = 0; group < 6; group++) {
    const at = start + group * 3
    if (!isHex(codeAt(text, at)) || !isHex(codeAt(text, at + 1))) return false
    const after = codeAt(text, at + 2)
    if (group < 5 ? after !== separator : after === separator || classOf(after) !== OTHER) return false
  }
  return addMatch({
    entity: 'MAC_ADDRESS',
    rule: 'mac',
    start,
    end: start + 17,
    baseScore: 0.9,
    contextScore: 1,
  })
}

/** `001a.2b3c.4d5e`, the notation of some network switches. */
const DOTTED_MAC = /[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![.\w])/iy
export const findDottedMac = (text: string, start: number, addMatch: AddMatch): void => {
  if (codeAt(text, start - 1) === DOT) return
  DOTTED_MAC.lastIndex = start
  const found = DOTTED_MAC.exec(text)
  if (found && /[a-f]/i.test(found[0]))
    addMatch({
      entity: 'MAC_ADDRESS',
      rule: 'mac-dotted',
      start,
      end: start + 14,
      baseScore: 0.7,
      contextScore: 1,
    })
}

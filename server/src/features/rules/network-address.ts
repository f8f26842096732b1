import { isIPv6 } from 'node:net'
import { classOf, codeAt, isAlphanumeric, isDigit, isHex, OTHER } from './characters.ts'
import type { Offer } from './match.ts'

const IPV4 =
  /(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}(?!\d|\.\d)(?:\/(?:3[0-2]|[12]?\d)(?!\d))?/y
const LONGEST_IPV6 = 45
const DOT = 46
const COLON = 58

/** `near` says whether a word like «version» stands before it. */
export const findIpv4 = (
  text: string,
  start: number,
  near: (start: number) => boolean,
  offer: Offer,
): void => {
  const before = codeAt(text, start - 1)
  if (before === DOT && isDigit(codeAt(text, start - 2))) return
  IPV4.lastIndex = start
  const found = IPV4.exec(text)
  if (!found || isAlphanumeric(codeAt(text, IPV4.lastIndex))) return
  const alone = near(start) ? 0.2 : 0.6
  offer({
    entity: 'IP_ADDRESS',
    rule: 'ipv4',
    start,
    end: start + found[0].length,
    alone,
    together: Math.max(alone, 0.2) + 0.3,
  })
}

/** The run of hexadecimal groups around a colon. Answers where the run ends, so that none is read twice. */
export const findIpv6 = (text: string, colon: number, offer: Offer): number => {
  let start = colon
  while (start > 0 && colon - start < 5 && isHex(codeAt(text, start - 1))) start--
  let end = colon
  while (end < text.length && isPart(codeAt(text, end))) end++
  const boundary = start === 0 || classOf(codeAt(text, start - 1)) === OTHER
  if (
    boundary &&
    end - start <= LONGEST_IPV6 + 1 &&
    (end === text.length || classOf(codeAt(text, end)) === OTHER)
  )
    offerIpv6(text, start, end, offer)
  return end
}

const isPart = (code: number): boolean => isHex(code) || code === COLON || code === DOT

const offerIpv6 = (text: string, start: number, end: number, offer: Offer): void => {
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
  // `a::b` is more often a path of a program, and `12:34:56` a time.
  if (colons < 2 || digits === 0 || (colons < 7 && !text.slice(start, last).includes('::'))) return
  const address = text.slice(start, last)
  if (!isIPv6(address)) return
  const alone = groups > 1 || address === '::1' ? 0.8 : 0.3
  offer({ entity: 'IP_ADDRESS', rule: 'ipv6', start, end: last, alone, together: 0.95 })
}

const isLoneColon = (text: string, at: number): boolean =>
  codeAt(text, at) === COLON && codeAt(text, at - 1) !== COLON

/** Six pairs with one sign between them, from the first pair on. */
export const findMacAddress = (text: string, start: number, offer: Offer): boolean => {
  const sign = codeAt(text, start + 2)
  if (codeAt(text, start - 1) === sign) return false
  for (let group = 0; group < 6; group++) {
    const at = start + group * 3
    if (!isHex(codeAt(text, at)) || !isHex(codeAt(text, at + 1))) return false
    const after = codeAt(text, at + 2)
    if (group < 5 ? after !== sign : after === sign || classOf(after) !== OTHER) return false
  }
  return offer({ entity: 'MAC_ADDRESS', rule: 'mac', start, end: start + 17, alone: 0.9, together: 1 })
}

/** `001a.2b3c.4d5e`, as some switches write it. */
const DOTTED_MAC = /[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![.\w])/iy
export const findDottedMac = (text: string, start: number, offer: Offer): void => {
  if (codeAt(text, start - 1) === DOT) return
  DOTTED_MAC.lastIndex = start
  const found = DOTTED_MAC.exec(text)
  if (found && /[a-f]/i.test(found[0]))
    offer({ entity: 'MAC_ADDRESS', rule: 'mac-dotted', start, end: start + 14, alone: 0.7, together: 1 })
}

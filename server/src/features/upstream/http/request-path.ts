/**
 * Paths of raw requests. A path is normalized before it is compared with a pattern, and the normalized path is the one that is sent. Text
 * that another parser could read differently (encoded separators, dot segments, parameters of segments) is rejected, not repaired.
 */

const MAX_PATH_LENGTH = 2_000
const MAX_SEGMENTS = 50

/** RFC 3986 §3.3 without `;`, which some servers read as the beginning of parameters and others as part of a name. */
const PATH_CHARACTERS = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,=:@/]|%[0-9A-Fa-f]{2})*$/
/** Encoded slash, backslash, dot, percent sign, semicolon, question mark, number sign and control characters. */
const REJECTED_ENCODINGS = /%(?:2f|5c|2e|25|3b|3f|23|[01][0-9a-f]|7f)/i

export type RequestPath = { text: string; segments: string[] }
export type PathProblem = { problem: string }

/** The normalized path, or why it is rejected. */
export const readRequestPath = (path: string): RequestPath | PathProblem => {
  if (path.length > MAX_PATH_LENGTH) return { problem: `must have at most ${MAX_PATH_LENGTH} characters` }
  if (!path.startsWith('/')) return { problem: 'must begin with a slash; it is a path, not a URL' }
  if (path.startsWith('//')) return { problem: 'must not begin with two slashes' }
  if (!PATH_CHARACTERS.test(path))
    return {
      problem:
        'contains a character that a path must not contain. Put parameters into "query", and encode other characters in UTF-8',
    }
  if (REJECTED_ENCODINGS.test(path))
    return { problem: 'contains an encoded separator, dot or control character' }
  const decoded = decodeUnreserved(path)
  if (decoded === null) return { problem: 'is not encoded in UTF-8' }
  const isFolder = decoded.endsWith('/') && decoded !== '/'
  const segments = decoded.slice(1, isFolder ? -1 : undefined).split('/')
  if (segments.length > MAX_SEGMENTS) return { problem: `must have at most ${MAX_SEGMENTS} segments` }
  if (decoded !== '/' && segments.includes('')) return { problem: 'contains an empty segment' }
  if (segments.some(segment => segment === '.' || segment === '..'))
    return { problem: 'contains a dot segment' }
  return { text: decoded, segments: decoded === '/' ? [] : segments }
}

/** RFC 3986 §6.2.2: unreserved characters are not encoded, and hexadecimal digits are upper-case. Null: not UTF-8. */
const decodeUnreserved = (path: string): string | null => {
  try {
    decodeURIComponent(path)
  } catch {
    return null
  }
  return path.replace(/%[0-9A-Fa-f]{2}/g, code => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[A-Za-z0-9\-_~]/.test(character) ? character : code.toUpperCase()
  })
}

/** `*`: one segment. `**`, only at the end: one or more segments. Null if the pattern is valid, otherwise why not. */
export const findPatternProblem = (pattern: string): string | null => {
  const path = readRequestPath(pattern)
  if ('problem' in path) return `A path pattern ${path.problem}.`
  const { segments } = path
  if (segments.slice(0, -1).includes('**')) return '"**" is allowed only at the end of a path pattern.'
  if (segments.some(segment => segment.includes('*') && segment !== '*' && segment !== '**'))
    return '"*" stands for a whole segment of a path.'
  return null
}

/** A slash at the end is ignored. Comparison is case-sensitive. */
export const matchesPattern = (pattern: string, { segments }: RequestPath): boolean => {
  const expected = readRequestPath(pattern)
  if ('problem' in expected) return false
  const isOpen = expected.segments.at(-1) === '**'
  const fixed = isOpen ? expected.segments.slice(0, -1) : expected.segments
  const fits = isOpen ? segments.length > fixed.length : segments.length === fixed.length
  return fits && fixed.every((segment, at) => segment === '*' || segment === segments[at])
}

/** One challenge of a `WWW-Authenticate` header; names are lower case. */
export type AuthChallenge = { scheme: string; parameters: Map<string, string> }

const MAX_HEADER_LENGTH = 8192
const PARAMETER = /[\s,]*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y
const SCHEME = /[\s,]*([\w!#$%&'*+.^`|~-]+)(?=[\s,]|$)(?:\s+[\w.~+/-]+=*(?=\s*(?:,|$)))?/y

/** RFC 9110 §11.6.1. Parsing stops at the first malformed part; the challenges before it are returned. */
export const parseChallenges = (header: string): AuthChallenge[] => {
  const text = header.slice(0, MAX_HEADER_LENGTH)
  const challenges: AuthChallenge[] = []
  let position = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    const match = pattern.exec(text)
    if (match) position = pattern.lastIndex
    return match
  }
  for (;;) {
    const current = challenges.at(-1)
    const parameter = current ? take(PARAMETER) : null
    if (current && parameter) {
      const [, name = '', quoted, bare] = parameter
      const key = name.toLowerCase()
      if (!current.parameters.has(key))
        current.parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '')
      continue
    }
    const scheme = take(SCHEME)
    if (!scheme) return challenges
    challenges.push({ scheme: scheme[1]!.toLowerCase(), parameters: new Map() })
  }
}

/**
 * The parameters of the first `Bearer` challenge: metadata location, required scopes and error (RFC 6750 §3, RFC 9728
 * §5.1).
 */
export const bearerChallenge = (header: string | null): Map<string, string> =>
  parseChallenges(header ?? '').find(({ scheme }) => scheme === 'bearer')?.parameters ?? new Map()

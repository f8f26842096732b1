/**
 * Headers that code may set in a raw request. They choose a form of the response, or make the request conditional; none changes what is
 * requested, for whom, or with which credential.
 */
const ALLOWED = [
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'prefer',
]
/** The body is sent as JSON. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?: *; *charset=utf-8)?$/i
const PRINTABLE = /^[\x20-\x7e]{1,1000}$/

/** Why a header cannot be set, as the end of a sentence about it. Null: it can be. */
export const findHeaderProblem = (name: string, value: unknown): string | null => {
  if (!ALLOWED.includes(name.toLowerCase())) return `cannot be set. Allowed: ${ALLOWED.join(', ')}`
  if (typeof value !== 'string' || !PRINTABLE.test(value))
    return 'must be a text of 1 to 1000 ASCII characters'
  if (name.toLowerCase() === 'content-type' && !JSON_TYPE.test(value))
    return 'must be a JSON type, because the body is sent as JSON'
  return null
}

/** The headers of a request. Node joins most repeated headers into one string. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

const MAX_HEADERS = 20
const MAX_VALUE_LENGTH = 200
/** The maximum total length of names and values, in characters. */
const MAX_TOTAL_LENGTH = 4096

/** Words in a header name that indicate a secret value. */
const SECRET_WORDS = new Set(
  'key keys apikey token tokens jwt bearer secret secrets password passwd pwd pass auth authorization authentication cookie credential credentials signature sig hmac assertion'.split(
    ' ',
  ),
)
/** Headers added by proxies and load balancers rather than the caller. */
const PROXY_HEADERS =
  /^x-(forwarded|real-ip|client-ip|cluster-client-ip|remote|original|envoy|amz|amzn|b3|cloud-trace|datadog|azure|ms|arr|goog|google|appengine|cdn|cf|vercel|fly|nf|render|railway|heroku|newrelic|request-start|scheme|ssl|proxy|via|varnish|cache|http-method|requested-with|host|server|port|nginx)(-|$)/

/**
 * The caller's own `X-*` headers, by which its calls can be searched. Headers whose name or value indicates a secret are
 * dropped, and the number and size are limited.
 */
export const callerHeaders = (
  given: RequestHeaders,
  isSecret: (text: string) => boolean,
): Record<string, string> | null => {
  const recorded: Record<string, string> = {}
  let count = 0
  let remaining = MAX_TOTAL_LENGTH
  for (const [name, values] of Object.entries(given)) {
    if (!isRecordable(name) || values === undefined) continue
    const whole = Array.isArray(values) ? values.join(', ') : values
    // The whole value is checked, because a truncated secret would not be recognized.
    if (isSecret(whole)) continue
    const value = whole.slice(0, MAX_VALUE_LENGTH).toWellFormed()
    remaining -= name.length + value.length
    if (count === MAX_HEADERS || remaining < 0) break
    recorded[name] = value
    count++
  }
  return count === 0 ? null : recorded
}

const isRecordable = (name: string): boolean =>
  name.startsWith('x-') &&
  !PROXY_HEADERS.test(name) &&
  !name.split(/[-_.]/).some(part => SECRET_WORDS.has(part))

/** Parses a filter of the form `X-Name:value`. Returns null if it is malformed. */
export const parseHeaderFilter = (text: string): { name: string; value: string } | null => {
  const at = text.indexOf(':')
  const name = text.slice(0, at).trim().toLowerCase()
  return at > 0 && /^x-[!-9;-~]+$/.test(name) ? { name, value: text.slice(at + 1).trim() } : null
}

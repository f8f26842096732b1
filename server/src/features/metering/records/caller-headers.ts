/** What a request brought: Node joins most repeated headers to one text. */
export type GivenHeaders = Readonly<Record<string, string | string[] | undefined>>

const MOST_HEADERS = 20
const LONGEST_VALUE = 200
/** Characters of names and values together. */
const MOST_IN_ALL = 4096

/** Words of a name that promise a value which lets somebody in. */
const CARRIES_SECRETS = new Set(
  'key keys apikey token tokens jwt bearer secret secrets password passwd pwd pass auth authorization authentication cookie credential credentials signature sig hmac assertion'.split(
    ' ',
  ),
)
/** What machines on the way add: of the network, and not of the caller. */
const OF_PROXIES =
  /^x-(forwarded|real-ip|client-ip|cluster-client-ip|remote|original|envoy|amz|amzn|b3|cloud-trace|datadog|azure|ms|arr|goog|google|appengine|cdn|cf|vercel|fly|nf|render|railway|heroku|newrelic|request-start|scheme|ssl|proxy|via|varnish|cache|http-method|requested-with|host|server|port|nginx)(-|$)/

/**
 * The caller's own `X-*` headers, by which its calls can be found again. Never one whose name or value says that it is a secret; and no
 * more than a record should be made to carry.
 */
export const callerHeaders = (
  given: GivenHeaders,
  isSecret: (text: string) => boolean,
): Record<string, string> | null => {
  const kept: Record<string, string> = {}
  let count = 0
  let room = MOST_IN_ALL
  for (const [name, values] of Object.entries(given)) {
    if (!mayBeKept(name) || values === undefined) continue
    const whole = Array.isArray(values) ? values.join(', ') : values
    // Judged as a whole: a piece of a secret is no longer found to be one.
    if (isSecret(whole)) continue
    const value = whole.slice(0, LONGEST_VALUE).toWellFormed()
    room -= name.length + value.length
    if (count === MOST_HEADERS || room < 0) break
    kept[name] = value
    count++
  }
  return count === 0 ? null : kept
}

const mayBeKept = (name: string): boolean =>
  name.startsWith('x-') &&
  !OF_PROXIES.test(name) &&
  !name.split(/[-_.]/).some(part => CARRIES_SECRETS.has(part))

/** `X-Name:value`, as a filter is written; null where it is none. */
export const parseHeaderFilter = (text: string): { name: string; value: string } | null => {
  const at = text.indexOf(':')
  const name = text.slice(0, at).trim().toLowerCase()
  return at > 0 && /^x-[!-9;-~]+$/.test(name) ? { name, value: text.slice(at + 1).trim() } : null
}

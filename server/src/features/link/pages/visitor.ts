import type { FastifyRequest } from 'fastify'

/** Mail scanners, unfurlers, monitors and libraries that say who they are. (A Cubot is a telephone.) */
const MACHINES =
  /(?<!cu)bot\b|bot\/|crawl|spider|slurp|preview|unfurl|scan|proofpoint|barracuda|mimecast|safelinks|facebookexternalhit|whatsapp|telegram|embedly|skypeuripreview|googleimageproxy|curl|wget|python|java\/|okhttp|go-http|axios|node|undici|libwww|monitor|pingdom/i

/**
 * Whether a GET looks like a person's. It decides nothing but a word in the session's timeline: what counts as a person is
 * a POST from a page that was shown.
 */
export const looksLikePerson = ({ method, headers }: FastifyRequest): boolean => {
  if (method !== 'GET' || MACHINES.test(headers['user-agent'] ?? 'bot')) return false
  if (/prefetch|preview/.test(`${String(headers['sec-purpose'])} ${String(headers.purpose)}`)) return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? headers['accept-language'] !== undefined : mode === 'navigate'
}

/** Browsers inside other apps: some third parties refuse to sign anybody in there, and a window cannot be opened. */
const INSIDE_APP =
  /\b(?:FBAN|FBAV|FB_IAB|Instagram|MicroMessenger|LinkedInApp|Snapchat|musical_ly|BytedanceWebview|GSA)\b|\bLine\/|;\s?wv\)/

export const isInsideApp = (userAgent: string | undefined): boolean => INSIDE_APP.test(userAgent ?? '')

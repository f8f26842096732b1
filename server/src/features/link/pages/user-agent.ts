import type { FastifyRequest } from 'fastify'

/** User agents of mail scanners, link previewers, monitors and HTTP libraries. (Cubot is a phone brand.) */
const BOTS =
  /(?<!cu)bot\b|bot\/|crawl|spider|slurp|preview|unfurl|scan|proofpoint|barracuda|mimecast|safelinks|facebookexternalhit|whatsapp|telegram|embedly|skypeuripreview|googleimageproxy|curl|wget|python|java\/|okhttp|go-http|axios|node|undici|libwww|monitor|pingdom/i

/**
 * Whether a GET request appears to come from a person. It only affects the step recorded in the session's timeline; a POST
 * from a page counts as a person in any case.
 */
export const looksLikePerson = ({ method, headers }: FastifyRequest): boolean => {
  if (method !== 'GET' || BOTS.test(headers['user-agent'] ?? 'bot')) return false
  if (/prefetch|preview/.test(`${String(headers['sec-purpose'])} ${String(headers.purpose)}`)) return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? headers['accept-language'] !== undefined : mode === 'navigate'
}

/** In-app browsers. Some providers refuse sign-in there, and pop-up windows cannot be opened. */
const IN_APP_BROWSERS =
  /\b(?:FBAN|FBAV|FB_IAB|Instagram|MicroMessenger|LinkedInApp|Snapchat|musical_ly|BytedanceWebview|GSA)\b|\bLine\/|;\s?wv\)/

export const isInAppBrowser = (userAgent: string | undefined): boolean =>
  IN_APP_BROWSERS.test(userAgent ?? '')

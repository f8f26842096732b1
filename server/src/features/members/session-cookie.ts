import { createHmac, timingSafeEqual } from 'node:crypto'

/** A sibling subdomain cannot set a cookie whose name begins with `__Host-`. Such cookies need HTTPS. */
export const cookiePrefix = (baseUrl: string): string =>
  `${baseUrl.startsWith('https:') ? '__Host-' : ''}carabiner`

/** The name that better-auth gives to the cookie of a session. */
const cookieName = (baseUrl: string): string => `${cookiePrefix(baseUrl)}.session_token`

/** As better-auth sets it. */
export const sessionCookie = (
  token: string,
  { baseUrl, authSecret, seconds }: { baseUrl: string; authSecret: string; seconds: number },
): string => {
  const signature = createHmac('sha256', authSecret).update(token).digest('base64')
  const value = encodeURIComponent(`${token}.${signature}`)
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(baseUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${secure}`
}

/** The token of the session cookie; null if it is missing or its signature is invalid. */
export const readSessionToken = (
  header: string | undefined,
  { baseUrl, authSecret }: { baseUrl: string; authSecret: string },
): string | null => {
  const name = cookieName(baseUrl)
  const cookie = header
    ?.split(';')
    .map(part => part.trim())
    .find(part => part.startsWith(`${name}=`))
  if (cookie === undefined) return null
  const value = decode(cookie.slice(name.length + 1))
  const dot = value.lastIndexOf('.')
  if (dot <= 0) return null
  const token = value.slice(0, dot)
  const expected = createHmac('sha256', authSecret).update(token).digest()
  const given = Buffer.from(value.slice(dot + 1), 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

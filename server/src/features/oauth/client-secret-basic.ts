import type { ClientAuth } from 'oauth4webapi'

/**
 * RFC 6749 §2.3.1 with minimal encoding. oauth4webapi also encodes hyphens, dots and underscores, and servers that do not
 * decode the header then see an unknown client ID. Minimal encoding works with both kinds of servers.
 */
export const clientSecretBasic =
  (secret: string): ClientAuth =>
  (_, client, __, headers) => {
    const credentials = `${formEncode(client.client_id)}:${formEncode(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`)
  }

const formEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]|%20/g, found =>
    found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )

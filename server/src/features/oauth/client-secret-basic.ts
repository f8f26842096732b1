import type { ClientAuth } from 'oauth4webapi'

/**
 * RFC 6749 §2.3.1 with no more encoded than must be. oauth4webapi encodes hyphens, dots and underscores as well; a server that
 * does not undo that (and many do not) meets a client id which it never gave. Encoded this way, both kinds read the same.
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

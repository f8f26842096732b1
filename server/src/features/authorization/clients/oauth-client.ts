import { isRedirectUri } from './redirect-uri.ts'

/** A client that asks for access, as it describes itself. All clients are public: they have no secret. */
export type OAuthClient = { id: string; name: string; redirectUris: string[] }

const MAX_NAME_LENGTH = 100
const MAX_REDIRECT_URIS = 10

/** Reads the metadata of RFC 7591 §2 that is used. Null if the redirect URIs are missing or not allowed. */
export const readClientMetadata = (document: unknown): Omit<OAuthClient, 'id'> | null => {
  const { client_name: name, redirect_uris: uris } = (document ?? {}) as Record<string, unknown>
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS) return null
  const redirectUris = uris.filter(uri => typeof uri === 'string' && isRedirectUri(uri)) as string[]
  return redirectUris.length === uris.length ? { name: readName(name), redirectUris } : null
}

/** Names are shown as text. Control characters and line breaks could imitate other parts of the page. */
const readName = (name: unknown): string => {
  const visible =
    typeof name === 'string'
      ? name
          .toWellFormed()
          .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
          .trim()
      : ''
  return visible.slice(0, MAX_NAME_LENGTH).toWellFormed()
}

import type { ApiKeyMethod } from '@carabiner/contract'
import { type Part, textOf } from './document.ts'

export type KeyMethod = ApiKeyMethod

export const keyField = (name: string, label: string, secret: boolean) => ({ name, label, secret })

/** Most preferred first. A token is easier to issue and to revoke than a password. */
const PREFERENCE = ['bearer', 'header', 'basic'] as const
export type KeyKind = (typeof PREFERENCE)[number]

export const isPreferred = (kind: KeyKind, over: KeyKind): boolean =>
  PREFERENCE.indexOf(kind) < PREFERENCE.indexOf(over)

/** A security scheme that is a key in a header, or null. */
export const readKeyScheme = (scheme: Part): { kind: KeyKind; method: KeyMethod } | null => {
  const kind = textOf(scheme.scheme)?.toLowerCase()
  const header = textOf(scheme.name)
  if (scheme.type === 'http' && kind === 'bearer')
    return {
      kind: 'bearer',
      method: {
        type: 'api_key',
        fields: [keyField('token', 'Token', true)],
        headers: { Authorization: 'Bearer {token}' },
      },
    }
  if (scheme.type === 'http' && kind === 'basic')
    return {
      kind: 'basic',
      method: {
        type: 'api_key',
        fields: [keyField('username', 'User name', false), keyField('password', 'Password or token', true)],
        basic: { username: '{username}', password: '{password}' },
      },
    }
  if (scheme.type === 'apiKey' && scheme.in === 'header' && header)
    return {
      kind: 'header',
      method: {
        type: 'api_key',
        fields: [keyField('api_key', 'API key', true)],
        headers: { [header]: '{api_key}' },
      },
    }
  return null
}

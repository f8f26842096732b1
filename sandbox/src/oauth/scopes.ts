export const supportedScopes = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'notes:read',
  'notes:write',
] as const

export type Scope = (typeof supportedScopes)[number]

/** The only scope that a user can decline on the consent page. */
export const OPTIONAL_SCOPE: Scope = 'notes:write'

export function parseScopes(value: unknown): Scope[] {
  const requested = typeof value === 'string' ? value.split(' ') : []
  return supportedScopes.filter(scope => requested.includes(scope))
}

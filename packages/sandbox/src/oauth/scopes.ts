export const supportedScopes = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'notes:read',
  'notes:write',
  'tasks:read',
  'tasks:write',
] as const

export type Scope = (typeof supportedScopes)[number]

/** The scopes that a user can decline on the consent page. */
export const declinableScopes: readonly Scope[] = ['notes:write', 'tasks:write']

export function parseScopes(value: unknown): Scope[] {
  const requested = typeof value === 'string' ? value.split(' ') : []
  return supportedScopes.filter(scope => requested.includes(scope))
}

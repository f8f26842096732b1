/** What a member may do in an organization. */
export const roles = ['admin', 'developer', 'security', 'read_only'] as const
export type Role = (typeof roles)[number]

/**
 * `read`: everything except the audit trail. `build`: users, connections, connectors, Tool Packs, webhooks. `protect`: security rules.
 * `approve`: decide about calls that a policy asks about. `audit`: read the audit trail. `manage`: API keys, origins, members and the organization itself.
 */
export const permissions = ['read', 'build', 'protect', 'approve', 'audit', 'manage'] as const
export type Permission = (typeof permissions)[number]

export const PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  admin: permissions,
  developer: ['read', 'build'],
  security: ['read', 'protect', 'approve', 'audit'],
  read_only: ['read'],
}

export const isAllowed = (role: Role, permission: Permission): boolean =>
  PERMISSIONS[role].includes(permission)

/** The groups of operations that a restricted API key can be given. Every operation of the API declares the one that it belongs to. */
export const keyGroups = ['read', 'users', 'tools', 'settings', 'policies', 'approvals'] as const
export type KeyGroup = (typeof keyGroups)[number]

/** What a group allows, for people. */
export const KEY_GROUPS: Readonly<Record<KeyGroup, { label: string; text: string }>> = {
  read: { label: 'Read', text: 'Read all data and settings, and follow the event stream.' },
  users: { label: 'Users and links', text: 'Manage Registered Users and their accounts, and create links.' },
  tools: { label: 'Tools', text: 'Call tools, and give users’ MCP clients access to them.' },
  settings: {
    label: 'Settings',
    text: 'Change Tool Packs, connectors, security rules, webhooks and other settings.',
  },
  policies: { label: 'Policies', text: 'Change the policies that decide which calls may run.' },
  approvals: { label: 'Approvals', text: 'Confirm decisions that people have made about calls.' },
}

/**
 * Groups that no unrestricted key has. Only an administrator who has signed in recently can give them to a key, because the other keys
 * must not be able to weaken what people decide.
 */
export const guardedGroups: readonly KeyGroup[] = ['policies', 'approvals']

/**
 * The group that a key needs for an operation, or several of which one is enough. Null: no restricted key may use the operation.
 */
export type NeededGroup = KeyGroup | readonly KeyGroup[] | null

export const groupsIn = (needed: NeededGroup): readonly KeyGroup[] =>
  needed === null ? [] : typeof needed === 'string' ? [needed] : needed

/** Whether a key may use an operation. `groups`: those of a restricted key; null for an unrestricted one. */
export const keyMay = (groups: readonly KeyGroup[] | null, needed: NeededGroup): boolean => {
  if (groups === null)
    return needed === null || groupsIn(needed).some(group => !guardedGroups.includes(group))
  return groupsIn(needed).some(group => groups.includes(group))
}

export const SECURITY_TABS = ['rules', 'test', 'violations'] as const
export type SecurityTab = (typeof SECURITY_TABS)[number]

/** `pack`: the Tool Pack whose rules are shown. `entity` and `user` filter the violations. */
export type SecuritySearch = { tab: SecurityTab; pack?: string; entity?: string; user?: string }

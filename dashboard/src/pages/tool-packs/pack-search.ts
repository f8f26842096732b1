export const PACK_TABS = ['tools', 'connect', 'settings'] as const
export type PackTab = (typeof PACK_TABS)[number]

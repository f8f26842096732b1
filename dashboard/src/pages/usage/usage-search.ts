export const GROUPS = ['day', 'user', 'connector', 'tool'] as const
export const PERIODS = ['cycle', '7d', '30d', '90d'] as const
export type UsageSearch = { by?: (typeof GROUPS)[number]; period?: (typeof PERIODS)[number] }

/**
 * Production and test data of one organization are separate. The mode belongs to users and everything that belongs to
 * them.
 */
export type Mode = 'production' | 'test'

export const MODES: readonly Mode[] = ['production', 'test']

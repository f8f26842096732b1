import type { InstalledOrganization } from '@carabiner/contract'
import type { Tone } from '../../../ui/data/badge.tsx'

type State = InstalledOrganization['state']

export const STATE_FILTERS = ['all', 'active', 'suspended', 'deleting'] as const
export type StateFilter = (typeof STATE_FILTERS)[number]

export const STATES: Record<State, { label: string; tone: Tone }> = {
  active: { label: 'Active', tone: 'good' },
  suspended: { label: 'Suspended', tone: 'warn' },
  arriving: { label: 'Arriving', tone: 'info' },
  leaving: { label: 'Moving', tone: 'info' },
  moved: { label: 'Moved', tone: 'neutral' },
  deleting: { label: 'Being deleted', tone: 'bad' },
}

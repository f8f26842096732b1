import type { ManagedOrganization } from '@carabiner/contract'
import type { OrganizationState } from '../../core/organization-state.ts'

type Stored = {
  id: string
  name: string
  state: OrganizationState
  plan: ManagedOrganization['plan']
  callLimit: number | null
  createdAt: Date
}

export const toManaged = ({ id, name, state, plan, callLimit, createdAt }: Stored): ManagedOrganization => ({
  id,
  name,
  state,
  plan,
  call_limit: callLimit,
  created_at: createdAt.toISOString(),
})

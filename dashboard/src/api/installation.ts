import type {
  CreatedOrganization,
  InstallationHealth,
  InstalledOrganization,
  InstalledPerson,
  ManagedOrganization,
  OrganizationCreate,
  OrganizationDeletion,
  PlanChange,
} from '@carabiner/contract'
import { CarabinerError } from '@carabiner/sdk'
import { callDashboard } from './call-dashboard.ts'
import { type GateReason, sessionGate } from './session-gate.ts'

/** What operators of the installation do. These routes are not part of the API. */

export type PageOf<T> = { data: T[]; next_cursor: string | null }

/** Repeats the request after a new sign-in, if the session has expired. */
export const withSession = async <T>(send: () => Promise<T>): Promise<T> => {
  for (;;)
    try {
      return await send()
    } catch (error) {
      const reason = error instanceof CarabinerError ? REASONS.get(error.code) : undefined
      if (!reason) throw error
      await sessionGate.waitForSignIn(reason).catch(() => {
        throw error
      })
    }
}
const REASONS = new Map<string, GateReason>([
  ['session_expired', 'expired'],
  ['recent_sign_in_required', 'old'],
])

const call = <T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<T> => withSession(() => callDashboard<T>(method, path, body, signal))

const query = (parameters: Record<string, string | undefined>): string => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''
}

type ListOptions = { cursor: string | undefined; search: string | undefined; signal: AbortSignal }

export const fetchOrganizations = ({
  cursor,
  search,
  state,
  signal,
}: ListOptions & { state: string | undefined }): Promise<PageOf<InstalledOrganization>> =>
  call('GET', `/installation/organizations${query({ cursor, search, state })}`, undefined, signal)
export const fetchOrganization = (id: string, signal: AbortSignal): Promise<InstalledOrganization> =>
  call('GET', `/installation/organizations/${encodeURIComponent(id)}`, undefined, signal)
export const createOrganization = (body: OrganizationCreate): Promise<CreatedOrganization> =>
  call('POST', '/installation/organizations', body)
export const setPlan = (id: string, body: PlanChange): Promise<ManagedOrganization> =>
  call('PATCH', `/installation/organizations/${id}`, body)
export const suspendOrganization = (id: string): Promise<ManagedOrganization> =>
  call('POST', `/installation/organizations/${id}/suspend`)
export const activateOrganization = (id: string): Promise<ManagedOrganization> =>
  call('POST', `/installation/organizations/${id}/activate`)
/** Also for administrators of the organization. */
export const deleteOrganization = (id: string, body: OrganizationDeletion): Promise<ManagedOrganization> =>
  call('DELETE', `/organizations/${id}`, body)

export const fetchPeople = ({ cursor, search, signal }: ListOptions): Promise<PageOf<InstalledPerson>> =>
  call('GET', `/installation/people${query({ cursor, search })}`, undefined, signal)
export const setOperator = (id: string, isOperator: boolean): Promise<InstalledPerson> =>
  call('PATCH', `/installation/people/${id}`, { is_operator: isOperator })
export const signOutPerson = (id: string): Promise<InstalledPerson> =>
  call('POST', `/installation/people/${id}/sign-out`)

export const fetchHealth = (signal: AbortSignal): Promise<InstallationHealth> =>
  call('GET', '/installation/health', undefined, signal)

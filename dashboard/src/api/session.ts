import type { Permission, Role } from '@carabiner/contract/permissions'
import { CarabinerError } from '@carabiner/sdk'
import { queryOptions } from '@tanstack/react-query'
import { callDashboard } from './call-dashboard.ts'
import { isPagePerson, startAgain } from './page-person.ts'

export type { Permission, Role }
export type Mode = 'production' | 'test'

export type Membership = {
  id: string
  name: string
  role: Role
  /** The organization can be read, but not changed. */
  suspended: boolean
  permissions: Permission[]
}
export type Invitation = { organization_id: string; name: string; role: Role; invited_at: string }

export type Session = {
  person: {
    id: string
    name: string
    email: string
    has_password: boolean
    has_second_factor: boolean
    /** Whether a one-time link started the session, within the last 15 minutes. */
    is_by_link: boolean
    /** Whether a password can be set without the previous one. */
    may_set_password: boolean
  }
  is_operator: boolean
  invitations: Invitation[]
  organizations: Membership[]
  development: boolean
}

/** The session of the signed-in person, or null. The page is loaded again if another person has signed in. */
export const fetchSession = async (signal?: AbortSignal): Promise<Session | null> => {
  const session = await readSession(signal)
  return session && !isPagePerson(session.person.id) ? startAgain() : session
}

const readSession = (signal?: AbortSignal): Promise<Session | null> =>
  callDashboard<Session>('GET', '/session', undefined, signal).catch((error: unknown) => {
    if (error instanceof CarabinerError && error.status === 401) return null
    throw error
  })

/** It stays in the cache until the person signs in or out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => fetchSession(signal),
  staleTime: Number.POSITIVE_INFINITY,
})

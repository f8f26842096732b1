import { useSuspenseQuery } from '@tanstack/react-query'
import type { Membership, Permission, Session } from '../api/session.ts'
import { sessionQuery } from '../api/session.ts'
import { useScope } from '../api/use-api.ts'

/** The signed-in person. The routes of an organization load it before they render. */
export const useSession = (): Session => {
  const { data } = useSuspenseQuery(sessionQuery)
  if (!data) throw new Error('Nobody is signed in.')
  return data
}

/** Whether the person has just signed in with a one-time link, and could not sign in again. */
export const needsPassword = ({ is_by_link, has_password }: Session['person']): boolean =>
  is_by_link && !has_password

/** The person's role in the current organization. */
export const useMembership = (): Membership => {
  const { organization } = useScope()
  const found = useSession().organizations.find(({ id }) => id === organization)
  if (!found) throw new Error('The person is not a member of this organization.')
  return found
}

/** Hide or disable what the person may not do. The service checks every request itself. */
export const useMay = (permission: Permission): boolean => {
  const { permissions, suspended } = useMembership()
  const isReading = permission === 'read' || permission === 'audit'
  return permissions.includes(permission) && (isReading || !suspended)
}

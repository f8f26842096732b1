import { isServed } from '../../core/organization-state.ts'
import { Refusal } from '../../core/refusal.ts'
import { type AuthenticateSession, PERSON_HEADER } from '../../edge/principal.ts'
import type { Database } from '../../platform/database/database.ts'
import { personSessionStore } from './person-session-store.ts'
import { readSessionToken } from './session-cookie.ts'

type Deps = { db: Database; baseUrl: string; authSecret: string }

/** Session, person and role are read on every request, so that a revoked session or a changed role has effect at once. */
export const createSessionAuthenticator =
  ({ db, ...signing }: Deps): AuthenticateSession =>
  async ({ method, headers }, organizationId) => {
    const token = readSessionToken(headers.cookie, signing)
    const member = token === null ? null : await personSessionStore.memberOfSession(db, token, organizationId)
    if (!member || (headers[PERSON_HEADER] ?? member.personId) !== member.personId)
      throw new Refusal('session_expired')
    const { role, organizationState } = member
    if (role === null || organizationState === null) throw new Refusal('not_a_member')
    // Members of a suspended organization can still read it.
    const isReadable = organizationState === 'suspended' && (method === 'GET' || method === 'HEAD')
    if (!isReadable && !isServed(organizationState)) throw new Refusal('not_a_member')
    return {
      role,
      isRecent: member.isRecent,
      actor: { type: 'person', id: member.personId, hint: member.name },
    }
  }

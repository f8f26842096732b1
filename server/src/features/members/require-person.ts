import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { personSessionStore, type SignedInPerson } from './person-session-store.ts'
import { readSessionToken } from './session-cookie.ts'

export const requirePerson = async (
  { db, ...signing }: { db: Database; baseUrl: string; authSecret: string },
  { headers }: FastifyRequest,
): Promise<SignedInPerson> => {
  const token = readSessionToken(headers.cookie, signing)
  const person = token === null ? null : await personSessionStore.ofSession(db, token)
  if (!person) throw new Refusal('session_expired')
  return person
}

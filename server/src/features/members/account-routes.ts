import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { isUuid, newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { normalizeEmail } from './add-person.ts'
import { countAttempt } from './count-attempt.ts'
import { type Auth, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './create-auth.ts'
import { memberSignInLinkStore } from './member-sign-in-link-store.ts'
import { personSessionStore, type SignedInPerson, type StoredSession } from './person-session-store.ts'
import { personStore } from './person-store.ts'
import { requirePerson } from './require-person.ts'

type Deps = { db: Database; baseUrl: string; authSecret: string; openAuth: () => Promise<Auth> }

/** The password, the sessions and the identities of the signed-in person. */
export const accountRoutes = (app: FastifyInstance, deps: Deps): void => {
  const { db, openAuth } = deps

  app.post('/dashboard/password', { schema: { body: PasswordBody } }, async (request, reply) => {
    const body = request.body as PasswordBody
    const person = await requirePerson(deps, request)
    const { length } = body.password
    if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
      throw new Refusal('invalid_password', { param: 'password' })
    const { password } = await (await openAuth()).$context
    if (person.hasPassword && !person.isByLink)
      await verifyPassword(deps, person, body, password.verify, request.ip)
    // A stolen cookie must not become a password that outlives the session.
    else if (!person.isByLink && !person.isRecent) throw new Refusal('recent_sign_in_required')
    // An address is what an administrator invites, so a person must not take another one.
    if (body.email !== undefined && !person.isOperator)
      throw new Refusal('permission_denied', {
        param: 'email',
        message: 'Only an operator can change an email address.',
      })
    const profile = {
      id: person.id,
      name: body.name?.trim() || person.name,
      email: normalizeEmail(body.email ?? person.email),
    }
    const hash = await password.hash(body.password)
    await db.transaction(async tx => {
      if (!(await personStore.setProfile(tx, profile))) throw new Refusal('email_taken', { param: 'email' })
      await personStore.setPassword(tx, { id: newUuid(), personId: person.id, password: hash })
      await personSessionStore.endOtherSessions(tx, person.id, person.sessionId)
      await memberSignInLinkStore.deleteUnused(tx, person.id)
    })
    return reply.code(204).send()
  })

  app.get('/dashboard/sessions', async request => {
    const person = await requirePerson(deps, request)
    const sessions = await personSessionStore.sessionsOf(db, person.id)
    return { data: sessions.map(session => toSession(session, person.sessionId)) }
  })

  app.delete<{ Params: { id: string } }>('/dashboard/sessions/:id', async (request, reply) => {
    const person = await requirePerson(deps, request)
    const { id } = request.params
    if (!isUuid(id) || !(await personSessionStore.endSession(db, person.id, id)))
      throw new Refusal('not_found')
    return reply.code(204).send()
  })

  app.get('/dashboard/identities', async request => {
    const person = await requirePerson(deps, request)
    const identities = await personStore.identitiesOf(db, person.id)
    return {
      data: identities.map(({ id, subject, createdAt }) => ({
        id,
        subject,
        created_at: createdAt.toISOString(),
      })),
    }
  })

  app.delete<{ Params: { id: string } }>('/dashboard/identities/:id', async (request, reply) => {
    const person = await requirePerson(deps, request)
    const { id } = request.params
    if (!person.isRecent) throw new Refusal('recent_sign_in_required')
    await db.transaction(async tx => {
      if (!isUuid(id) || !(await personStore.removeIdentity(tx, person.id, id)))
        throw new Refusal('not_found')
      await personSessionStore.endOtherSessions(tx, person.id, person.sessionId)
    })
    return reply.code(204).send()
  })

  app.delete('/dashboard/sessions', async (request, reply) => {
    const person = await requirePerson(deps, request)
    await personSessionStore.endOtherSessions(db, person.id, person.sessionId)
    return reply.code(204).send()
  })
}

const toSession = ({ id, address, userAgent, createdAt, usedAt }: StoredSession, currentId: string) => ({
  id,
  address,
  user_agent: userAgent,
  created_at: createdAt.toISOString(),
  used_at: usedAt.toISOString(),
  is_current: id === currentId,
})

const PasswordBody = Type.Object(
  {
    password: Type.String({ maxLength: 1024 }),
    current_password: Type.Optional(Type.String({ maxLength: 1024 })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  },
  { additionalProperties: false },
)
type PasswordBody = Type.Static<typeof PasswordBody>

type Verify = (data: { hash: string; password: string }) => Promise<boolean>

const verifyPassword = async (
  { db }: Deps,
  person: SignedInPerson,
  { current_password: given }: PasswordBody,
  verify: Verify,
  address: string,
): Promise<void> => {
  const attempts = await countAttempt(db, person.email, address)
  const hash = await personStore.passwordOf(db, person.id)
  if (given === undefined || hash === null || !(await verify({ hash, password: given })))
    throw new Refusal('member_sign_in_failed', {
      param: 'current_password',
      message: 'The current password is wrong.',
    })
  await personStore.forgetAttempts(db, attempts)
}

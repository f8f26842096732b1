import { DashboardSession, SignInLinkDetails } from '@carabiner/contract'
import { PERMISSIONS } from '@carabiner/contract/permissions'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { requireOwnOrigin } from '../../edge/principal.ts'
import type { Config } from '../../platform/config.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { accountRoutes } from './account-routes.ts'
import { requireKnownRequest } from './auth-requests.ts'
import { countAttempt } from './count-attempt.ts'
import { ADDRESS_HEADER, AUTH_PATH, type Auth, createAuth, SSO_PROVIDER } from './create-auth.ts'
import { describeSignInLink, signInWithLink } from './member-sign-in-links.ts'
import { memberStore } from './member-store.ts'
import { personStore } from './person-store.ts'
import { requirePerson } from './require-person.ts'

type Deps = {
  db: Database
  log: Log
  baseUrl: string
  authSecret: string
  singleSignOn: Config['singleSignOn']
  development: boolean
}

const SSO_CALLBACK = `${AUTH_PATH}/callback/${SSO_PROVIDER}`

const BODY_LIMIT = 64 * 1024

const LinkBody = Type.Object({ token: Type.String({ maxLength: 200 }) }, { additionalProperties: false })

/** Signing in to the dashboard, and the session. */
export const memberSignInRoutes = (app: FastifyInstance, deps: Deps): void => {
  const { db, baseUrl, singleSignOn, development } = deps
  let auth: Promise<Auth> | undefined
  const openAuth = (): Promise<Auth> => {
    auth ??= createAuth(deps).catch((error: unknown) => {
      auth = undefined
      throw error
    })
    return auth
  }
  app.addHook('onRequest', async request => {
    // The identity provider sends the browser back. better-auth checks `state` against a cookie of this browser.
    if (request.method === 'GET' && request.url.startsWith(SSO_CALLBACK)) return
    requireOwnOrigin(request, baseUrl)
  })

  app.get('/dashboard/sign-in-options', async () => ({
    single_sign_on: singleSignOn ? { name: singleSignOn.name } : null,
    development,
  }))

  app.get(
    '/dashboard/session',
    { schema: { response: { 200: DashboardSession } } },
    async (request, reply) => {
      const person = await requirePerson(deps, request)
      const extended = await (await openAuth()).handler(
        toRequest(request, baseUrl, `${AUTH_PATH}/get-session`),
      )
      copyCookies(extended, reply)
      const organizations = await memberStore.organizationsOf(db, person.id)
      const invitations = await memberStore.invitationsOf(db, person.id)
      return {
        person: {
          id: person.id,
          name: person.name,
          email: person.email,
          has_password: person.hasPassword,
          has_second_factor: person.hasSecondFactor,
          is_by_link: person.isByLink,
          may_set_password: person.isByLink || (!person.hasPassword && person.isRecent),
        },
        is_operator: person.isOperator,
        invitations: invitations.map(({ id, name, role, invitedAt }) => ({
          organization_id: id,
          name,
          role,
          invited_at: invitedAt.toISOString(),
        })),
        organizations: organizations.map(({ id, name, role, isSuspended }) => ({
          id,
          name,
          role,
          suspended: isSuspended,
          permissions: [...PERMISSIONS[role]],
        })),
        development,
      }
    },
  )

  app.post(
    '/dashboard/sign-in-link/details',
    { schema: { body: LinkBody, response: { 200: SignInLinkDetails } } },
    async request => describeSignInLink(db, (request.body as { token: string }).token),
  )

  app.post('/dashboard/sign-in-link', { schema: { body: LinkBody } }, async (request, reply) => {
    const { token } = request.body as { token: string }
    const cookie = await signInWithLink(deps, token, {
      address: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 200) ?? null,
    })
    return reply.code(204).header('set-cookie', cookie).send()
  })

  accountRoutes(app, { ...deps, openAuth })

  app.all(`${AUTH_PATH}/*`, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    requireKnownRequest(path, request.body)
    const { email } = (request.body ?? {}) as { email?: unknown }
    const attempts = path.endsWith('/sign-in/email') ? await countAttempt(db, email, request.ip) : []
    const response = await (await openAuth()).handler(toRequest(request, baseUrl))
    if (response.ok) await personStore.forgetAttempts(db, attempts)
    copyCookies(response, reply)
    refuse(response, path)
    const location = response.headers.get('location')
    if (location !== null) reply.header('location', location)
    return reply
      .code(response.status)
      .type(response.headers.get('content-type') ?? 'application/json')
      .send(await response.text())
  })
}

/** The usual failures have the form of the service's own errors. */
const refuse = ({ status, headers }: Response, path: string): void => {
  if (status === 429)
    throw new Refusal('too_many_attempts', { retryAfterSeconds: Number(headers.get('x-retry-after')) || 60 })
  if (status === 401 && path.endsWith('/sign-in/email')) throw new Refusal('member_sign_in_failed')
}

/** The request as better-auth takes it. Its address is the one that this service trusts, whatever headers the client sends. */
const toRequest = (request: FastifyRequest, baseUrl: string, path = request.url): Request => {
  const headers = new Headers({ [ADDRESS_HEADER]: request.ip })
  for (const name of [
    'cookie',
    'origin',
    'user-agent',
    'content-type',
    'accept',
    'sec-fetch-site',
  ] as const) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return new Request(new URL(path, baseUrl), {
    method: request.method,
    headers,
    ...(!isRead && { body: JSON.stringify(request.body ?? {}) }),
  })
}

const copyCookies = (response: Response, reply: FastifyReply): void => {
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) reply.header('set-cookie', cookies)
}

import type { Role } from '@carabiner/contract/permissions'
import { hashPassword } from 'better-auth/crypto'
import { newUuid } from '../../src/core/uuid.ts'
import { addPerson } from '../../src/features/members/add-person.ts'
import { personStore } from '../../src/features/members/person-store.ts'
import type { Answer, TestService } from './test-service.ts'

export type PersonSession = {
  id: string
  email: string
  cookie: string
  /** Makes an API call as this person. */
  call<T = any>(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string>; organizationId?: string; mode?: string },
  ): Promise<Answer<T>>
  /** The same for a route of the dashboard, which belongs to no organization. */
  own<T = any>(method: string, path: string, body?: unknown): Promise<Answer<T>>
}

let created = 0

export const tokenOf = (url: string): string => url.slice(url.indexOf('#') + 1)

/** The cookie that a response sets, without its attributes. */
export const cookieOf = ({ headers }: Pick<Answer, 'headers'>): string =>
  headers
    .getSetCookie()
    .map(cookie => cookie.split(';', 1)[0])
    .join('; ')

/** Adds a person to an organization and signs in with the link. */
export const signInPerson = async (
  t: TestService,
  {
    role,
    organizationId = t.organization.id,
    isOperator = false,
    name = 'Mia Chen',
  }: { role?: Role; organizationId?: string; isOperator?: boolean; name?: string } = {},
): Promise<PersonSession> => {
  const email = `person-${++created}@example.com`
  const { personId, link } = await addPerson(t.service.features, {
    email,
    name,
    isOperator,
    membership: role && { organizationId, role },
  })
  const signedIn = await openSignInLink(t, link.url.reveal())
  if (signedIn.status !== 204) throw new Error(`the link did not sign in: ${signedIn.text}`)
  return sessionOf(t, { id: personId, email, cookie: cookieOf(signedIn), organizationId })
}

const hashes = new Map<string, Promise<string>>()

/** Sets a password. Each one is hashed once per process, because a hash takes a tenth of a second of processor time. */
export const setPassword = async (t: TestService, personId: string, password: string): Promise<void> => {
  const hashing = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hashing)
  await personStore.setPassword(t.service.features.db, { id: newUuid(), personId, password: await hashing })
}

/** Signs in with a link, as the person who opens it. */
export const openSignInLink = (t: TestService, url: string): Promise<Answer> =>
  t.call('POST', '/dashboard/sign-in-link', {
    key: null,
    headers: { origin: t.baseUrl },
    body: { token: tokenOf(url) },
  })

export const sessionOf = (
  t: TestService,
  { organizationId, ...person }: { id: string; email: string; cookie: string; organizationId: string },
): PersonSession => ({
  ...person,
  call: (
    method,
    path,
    { body, headers = {}, organizationId: other = organizationId, mode = 'production' } = {},
  ) =>
    t.call(method, path, {
      key: null,
      ...(body !== undefined && { body }),
      headers: {
        cookie: person.cookie,
        origin: t.baseUrl,
        'carabiner-organization': other,
        'carabiner-mode': mode,
        ...headers,
      },
    }),
  own: (method, path, body) =>
    t.call(method, path, {
      key: null,
      ...(body !== undefined && { body }),
      headers: { cookie: person.cookie, origin: t.baseUrl },
    }),
})

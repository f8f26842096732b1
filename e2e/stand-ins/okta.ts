import assert from 'node:assert/strict'
import {
  type LinkedConnector,
  pick,
  readAllPages,
  type StandInCase,
  withForm,
} from '../support/stand-in-case.ts'
import type { Adapt, ProxiedRequest } from '../support/stand-in-proxy.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/** The vendor paginates with `limit` and an opaque cursor in `after`, the stand-in with `per_page` and `page`. */
const PARAMETERS = [
  ['limit', 'per_page'],
  ['after', 'page'],
] as const

const renameParameters = ({ url }: ProxiedRequest): URL => {
  const changed = new URL(url)
  for (const [vendors, standIns] of PARAMETERS) {
    const value = changed.searchParams.get(vendors)
    changed.searchParams.delete(vendors)
    if (value !== null) changed.searchParams.set(standIns, value)
  }
  return changed
}

const adapt = (): Adapt => async (request, forward) => {
  const response = await forward({ ...request, url: renameParameters(request) })
  const { link, ...headers } = response.headers
  if (typeof link !== 'string') return response
  const next = link.replaceAll('per_page=', 'limit=').replaceAll(/(?<=[?&])page=/g, 'after=')
  return { ...response, headers: { ...headers, link: next } }
}

const ANA = '00uana00000000000001'
const BEN = '00uben00000000000002'
const STAFF = '00gstaff000000000001'

const okta: StandInVendor = {
  service: 'okta',
  origins: ['https://{tenant.domain}'],
  slugs: ['okta'],
  adapt,
  seed: client => ({
    users: [
      { okta_id: ANA, login: 'ana@example.com', first_name: 'Ana', last_name: 'Ruiz' },
      { okta_id: BEN, login: 'ben@example.com', first_name: 'Ben', last_name: 'Okafor' },
    ],
    groups: [{ okta_id: STAFF, name: 'Staff' }],
    group_memberships: [{ group_okta_id: STAFF, user_okta_id: ANA }],
    oauth_clients: [{ ...client, auth_server_id: 'org', token_endpoint_auth_method: 'client_secret_basic' }],
  }),
}

/** Not called: applications, and the system log and unlocking, which the stand-in does not support. */
const useTools = async ({ call, callAfterGrant, fetchDirectly }: LinkedConnector): Promise<void> => {
  const users = await readAllPages(call, 'list_users', { limit: 2 })
  assert.deepEqual(pick('login', users), [['testuser@okta.local', 'ana@example.com'], ['ben@example.com']])
  assert.equal((await call('get_user', { user: 'me' })).id, BEN)
  assert.equal((await call('get_user', { user: 'ana@example.com' })).id, ANA)
  assert.equal((await call('list_user_groups', { user: ANA })).items[0].name, 'Staff')
  assert.deepEqual(pick('id', [(await call('list_group_members', { group_id: STAFF })).items]), [[ANA]])

  const carol = { email: 'carol@example.com', login: 'carol@example.com', activate: true }
  const created = await callAfterGrant('create_user', { first_name: 'Cäröl', last_name: 'Ng', ...carol })
  await call('update_user', { user: ANA, profile: { lastName: 'Ruiz Vega' } })
  await call('suspend_user', { user: ANA })
  await callAfterGrant('add_user_to_group', { group_id: STAFF, user_id: BEN })
  await call('remove_user_from_group', { group_id: STAFF, user_id: ANA })

  assert.equal((await fetchDirectly(`/api/v1/users/${created.id}`)).profile.firstName, 'Cäröl')
  const ana = await fetchDirectly(`/api/v1/users/${ANA}`)
  assert.deepEqual([ana.status, ana.profile.lastName], ['SUSPENDED', 'Ruiz Vega'])
  assert.deepEqual(pick('id', [await fetchDirectly(`/api/v1/groups/${STAFF}/users`)]), [[BEN]])
}

export const oktaCases: StandInCase[] = [
  {
    slug: 'okta',
    name: 'Okta',
    vendor: okta,
    signsInAs: 'ben@example.com',
    account: 'ben@example.com',
    tenant: { label: 'Okta domain', value: 'acme.okta.com' },
    denial: { error: 'access_denied', error_description: 'The resource owner denied the request.' },
    refresh: { rotates: true },
    receipt: 'revoked',
    useTools,
    // The vendor also revokes the access tokens; the stand-in revokes only the token in the request.
    checkRevoked: async ({ fetchDirectly, standIn }, { refresh }) => {
      const { client_id, client_secret } = standIn.client
      const form = { token: refresh, client_id, client_secret }
      assert.equal((await fetchDirectly('/oauth2/v1/introspect', withForm(form))).active, false)
    },
  },
]

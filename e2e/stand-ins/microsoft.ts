import assert from 'node:assert/strict'
import type { LinkedConnector, StandInCase } from '../support/stand-in-case.ts'
import { type Adapt, withPath } from '../support/stand-in-proxy.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/** The paths of the vendor begin with the kind of account that may sign in; the stand-in's do not. */
const adapt = (): Adapt => (request, forward) =>
  forward(withPath(request, request.url.pathname.replace(/^\/(?:common|organizations)(?=\/oauth2\/)/, '')))

const microsoft: StandInVendor = {
  service: 'microsoft',
  origins: ['https://login.microsoftonline.com', 'https://graph.microsoft.com'],
  slugs: ['outlook'],
  adapt,
  seed: client => ({
    users: [
      { email: 'ana@example.com', name: 'Ana Ruiz' },
      { email: 'ben@example.com', name: 'Ben Okafor' },
    ],
    oauth_clients: [client],
  }),
}

/** The stand-in supports only the profile of Graph, not mail or calendars. */
const useTools = async ({ call, fetchDirectly }: LinkedConnector): Promise<void> => {
  const mine = await call('get_my_profile')
  assert.deepEqual([mine.name, mine.email], ['Ben Okafor', 'ben@example.com'])
  assert.equal(mine.id, (await fetchDirectly('/v1.0/me')).id)
}

export const microsoftCases: StandInCase[] = [
  {
    slug: 'outlook',
    name: 'Outlook',
    vendor: microsoft,
    signsInAs: 'ben@example.com',
    account: 'ben@example.com',
    denial: {
      error: 'access_denied',
      error_subcode: 'cancel',
      error_description: 'AADSTS65004: The resource owner or authorization server denied the request.',
    },
    refresh: { rotates: true },
    // The vendor has no endpoint that revokes the tokens of one app.
    receipt: 'not_supported',
    useTools,
  },
]

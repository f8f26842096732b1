import assert from 'node:assert/strict'
import { type Adapt, atPath } from '../support/stand-in-front.ts'
import type { Linked, Story } from '../support/stand-in-story.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/** The vendor's addresses begin with whose accounts may sign in. */
const adapt = (): Adapt => (asked, ask) =>
  ask(atPath(asked, asked.url.pathname.replace(/^\/(?:common|organizations)(?=\/oauth2\/)/, '')))

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

/** Of Graph the stand-in has the profile alone: no mail, and no calendar. */
const useTools = async ({ call, look }: Linked): Promise<void> => {
  const mine = await call('get_my_profile')
  assert.deepEqual([mine.name, mine.email], ['Ben Okafor', 'ben@example.com'])
  assert.equal(mine.id, (await look('/v1.0/me')).id)
}

export const microsoftStories: Story[] = [
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
    // The vendor has no endpoint that ends the tokens of one app.
    receipt: 'not_supported',
    useTools,
  },
]

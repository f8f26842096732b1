import assert from 'node:assert/strict'
import {
  type LinkedConnector,
  pick,
  readAllPages,
  type StandInCase,
  withForm,
} from '../support/stand-in-case.ts'
import { type Adapt, bearerToken, jsonResponse } from '../support/stand-in-proxy.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/** The stand-in has no `auth.revoke`, and treats an unknown token as its administrator's. */
const adapt = (): Adapt => {
  const revoked = new Set<string>()
  return async (request, forward) => {
    if (revoked.has(bearerToken(request))) return jsonResponse(200, { ok: false, error: 'token_revoked' })
    if (request.url.pathname !== '/api/auth.revoke') return forward(request)
    revoked.add(bearerToken(request))
    return jsonResponse(200, { ok: true, revoked: true })
  }
}

const slack: StandInVendor = {
  service: 'slack',
  origins: ['https://slack.com'],
  slugs: ['slack'],
  adapt,
  seed: client => ({
    users: [{ name: 'ana' }, { name: 'ben', real_name: 'Ben Okafor', email: 'ben@example.com' }],
    channels: [{ name: 'launch', topic: 'Countdown' }],
    oauth_apps: [client],
    strict_scopes: true,
  }),
}

const TEXT = 'Ünïcode & “quotes”'

/** Not called: search and the list of the user's own channels, which the stand-in does not support. */
const useTools = async ({ call, callAfterGrant, fetchDirectly }: LinkedConnector): Promise<void> => {
  const channels = await readAllPages(call, 'list_channels', { limit: 2 })
  assert.deepEqual(pick('name', channels), [['general', 'random'], ['launch']])
  const channel = channels[1]?.[0].id
  assert.equal((await call('list_channel_members', { channel })).items.length, 3)
  assert.equal((await call('get_channel', { channel })).topic, 'Countdown')
  const users = (await readAllPages(call, 'list_users', { limit: 3 })).flat()
  const ben = users.find(({ name }) => name === 'ben').id
  assert.equal((await call('get_user', { user: ben })).real_name, 'Ben Okafor')

  const { ts } = await callAfterGrant('send_message', { channel, text: 'First' })
  await call('send_message', { channel, text: 'In its thread', thread_ts: ts })
  await call('update_message', { channel, ts, text: TEXT })
  const [message] = (await call('read_messages', { channel, limit: 5 })).items
  assert.deepEqual([message.text, message.user, message.reply_count], [TEXT, ben, 1])
  assert.equal((await call('read_thread', { channel, ts })).items.length, 2)

  const stored = await fetchDirectly('/api/conversations.history', withForm({ channel }))
  assert.deepEqual([stored.messages[0].text, stored.messages[0].user], [TEXT, ben])
  await call('delete_message', { channel, ts })
  const { messages } = await fetchDirectly('/api/conversations.history', withForm({ channel }))
  assert.ok(!messages.some((one: { ts: string }) => one.ts === ts))
}

export const slackCases: StandInCase[] = [
  {
    slug: 'slack',
    name: 'Slack',
    vendor: slack,
    signsInAs: 'Ben Okafor',
    account: 'ben',
    denial: { error: 'access_denied' },
    // User tokens do not expire unless the app opts in to rotation.
    refresh: null,
    receipt: 'revoked',
    useTools,
    checkRevoked: async ({ standIn }, { access }) => {
      const headers = { authorization: `Bearer ${access}` }
      const response = await fetch(`${standIn.url}/api/auth.test`, { method: 'POST', headers })
      assert.deepEqual(await response.json(), { ok: false, error: 'token_revoked' })
    },
  },
]

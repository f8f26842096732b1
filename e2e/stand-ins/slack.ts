import assert from 'node:assert/strict'
import { type Adapt, answerJson, bearerOf } from '../support/stand-in-front.ts'
import { everyPage, type Linked, pick, type Story, withForm } from '../support/stand-in-story.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/** The stand-in has no `auth.revoke`, and takes whatever it does not know for its administrator's. */
const adapt = (): Adapt => {
  const revoked = new Set<string>()
  return async (asked, ask) => {
    if (revoked.has(bearerOf(asked))) return answerJson(200, { ok: false, error: 'token_revoked' })
    if (asked.url.pathname !== '/api/auth.revoke') return ask(asked)
    revoked.add(bearerOf(asked))
    return answerJson(200, { ok: true, revoked: true })
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

/** Not called: searching, and the list of one's own channels, which the stand-in does not have. */
const useTools = async ({ call, callOnceAllowed, look }: Linked): Promise<void> => {
  const channels = await everyPage(call, 'list_channels', { limit: 2 })
  assert.deepEqual(pick('name', channels), [['general', 'random'], ['launch']])
  const channel = channels[1]?.[0].id
  assert.equal((await call('list_channel_members', { channel })).items.length, 3)
  assert.equal((await call('get_channel', { channel })).topic, 'Countdown')
  const people = (await everyPage(call, 'list_users', { limit: 3 })).flat()
  const ben = people.find(({ name }) => name === 'ben').id
  assert.equal((await call('get_user', { user: ben })).real_name, 'Ben Okafor')

  const { ts } = await callOnceAllowed('send_message', { channel, text: 'First' })
  await call('send_message', { channel, text: 'In its thread', thread_ts: ts })
  await call('update_message', { channel, ts, text: TEXT })
  const [message] = (await call('read_messages', { channel, limit: 5 })).items
  assert.deepEqual([message.text, message.user, message.reply_count], [TEXT, ben, 1])
  assert.equal((await call('read_thread', { channel, ts })).items.length, 2)

  const held = await look('/api/conversations.history', withForm({ channel }))
  assert.deepEqual([held.messages[0].text, held.messages[0].user], [TEXT, ben])
  await call('delete_message', { channel, ts })
  const { messages } = await look('/api/conversations.history', withForm({ channel }))
  assert.ok(!messages.some((one: { ts: string }) => one.ts === ts))
}

export const slackStories: Story[] = [
  {
    slug: 'slack',
    name: 'Slack',
    vendor: slack,
    signsInAs: 'Ben Okafor',
    account: 'ben',
    denial: { error: 'access_denied' },
    // User tokens live until they are revoked, unless the app opts in to rotation.
    refresh: null,
    receipt: 'revoked',
    useTools,
    checkEnded: async ({ standIn }, { access }) => {
      const headers = { authorization: `Bearer ${access}` }
      const answer = await fetch(`${standIn.url}/api/auth.test`, { method: 'POST', headers })
      assert.deepEqual(await answer.json(), { ok: false, error: 'token_revoked' })
    },
  },
]

import assert from 'node:assert/strict'
import {
  type LinkedConnector,
  pick,
  readAllPages,
  type StandInCase,
  withForm,
} from '../support/stand-in-case.ts'
import { type Adapt, withPath } from '../support/stand-in-proxy.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/** The vendor serves these endpoints on separate hosts; the stand-in has one host and uses other paths. */
const PATHS: Record<string, string> = {
  '/token': '/oauth2/token',
  '/revoke': '/oauth2/revoke',
  '/v1/userinfo': '/oauth2/v2/userinfo',
}
const adapt = (): Adapt => (request, forward) =>
  forward(withPath(request, PATHS[request.url.pathname] ?? request.url.pathname))

const ANA = 'ana@example.com'
const BEN = 'ben@example.com'
const TEXT = 'Grüße aus Köln & “quotes”'

const message = (id: string, user_email: string) => ({
  id,
  thread_id: `thread-${id}`,
  user_email,
  from: 'carol@example.com',
  to: user_email,
  subject: `Subject ${id}`,
  body_text: TEXT,
  label_ids: ['INBOX', 'UNREAD'],
  date: '2026-03-04T10:00:00.000Z',
})
const calendar = (user_email: string) => ({ id: user_email, user_email, summary: user_email, primary: true })
const event = (id: string, user_email: string, day: number) => ({
  id,
  user_email,
  calendar_id: user_email,
  summary: `Event ${id}`,
  start_date_time: `2026-03-${day}T09:00:00.000Z`,
  end_date_time: `2026-03-${day}T10:00:00.000Z`,
})
const file = (id: string, user_email: string) => ({
  id,
  user_email,
  name: `${id}.txt`,
  mime_type: 'text/plain',
  data: TEXT,
})

const google: StandInVendor = {
  service: 'google',
  origins: [
    'https://accounts.google.com',
    'https://oauth2.googleapis.com',
    'https://openidconnect.googleapis.com',
    'https://www.googleapis.com',
    'https://gmail.googleapis.com',
  ],
  slugs: ['gmail', 'google-calendar', 'google-drive'],
  adapt,
  seed: client => ({
    users: [{ email: ANA }, { email: BEN }],
    oauth_clients: [client],
    messages: [message('hers', ANA), message('a', BEN), message('b', BEN), message('c', BEN)],
    calendars: [calendar(ANA), calendar(BEN)],
    calendar_events: [event('hers', ANA, 10), event('a', BEN, 11), event('b', BEN, 12)],
    drive_items: [file('hers', ANA), file('a', BEN), file('b', BEN), file('c', BEN)],
  }),
}

/** Not called: restoring from trash, and changing whole threads. */
const useGmail = async ({ call, callAfterGrant, fetchDirectly }: LinkedConnector): Promise<void> => {
  const found = await readAllPages(call, 'search_messages', {
    query: 'from:carol@example.com',
    max_results: 2,
  })
  assert.deepEqual(pick('id', found).flat().toSorted(), ['a', 'b', 'c'])
  assert.equal(found.length, 2)
  const read = await call('get_message', { message_id: 'a' })
  assert.deepEqual([read.body, read.label_ids], [TEXT, ['INBOX', 'UNREAD']])
  const { headers } = await call('get_message_headers', { message_id: 'b' })
  assert.equal(headers.find(({ name }: { name: string }) => name === 'Subject').value, 'Subject b')
  assert.equal((await call('get_thread', { thread_id: 'thread-c' })).items[0].id, 'c')

  await callAfterGrant('change_message_labels', { message_id: 'a', remove_label_ids: ['UNREAD'] })
  assert.deepEqual((await fetchDirectly('/gmail/v1/users/me/messages/a')).labelIds, ['INBOX'])
  const mail = { to: ['carol@example.com'], subject: TEXT, text: TEXT }
  const draft = await call('create_draft', mail)
  assert.deepEqual(pick('id', [(await call('list_drafts')).items]), [[draft.id]])
  const sent = [await call('send_draft', { draft_id: draft.id }), await call('send_message', mail)]
  for (const { id } of sent) {
    const stored = await fetchDirectly(`/gmail/v1/users/me/messages/${id}`)
    assert.equal(Buffer.from(stored.payload.body.data, 'base64url').toString('utf8').trimEnd(), TEXT)
    assert.deepEqual(stored.labelIds, ['SENT'])
  }
}

/** Not called: reading, changing and moving one event, which the stand-in does not support. */
const useCalendar = async ({ call, callAfterGrant, fetchDirectly }: LinkedConnector): Promise<void> => {
  const [mine] = (await call('list_calendars')).items
  assert.deepEqual([mine.id, mine.primary], [BEN, true])
  const primary = { calendar_id: 'primary' }
  const events = await readAllPages(call, 'list_events', { ...primary, max_results: 1 })
  assert.deepEqual(pick('id', events), [['a'], ['b']])
  const day = { time_min: '2026-03-11T00:00:00Z', time_max: '2026-03-12T00:00:00Z' }
  const busy = await call('find_busy_times', { ...day, calendars: [{ id: 'primary' }] })
  assert.deepEqual(busy.primary.busy, [
    { start: '2026-03-11T09:00:00.000Z', end: '2026-03-11T10:00:00.000Z' },
  ])

  const created = await callAfterGrant('create_event', {
    ...primary,
    summary: TEXT,
    start_time: '2026-03-13T10:00:00Z',
    end_time: '2026-03-13T11:00:00Z',
    attendees: [{ email: 'carol@example.com' }],
  })
  await call('delete_event', { ...primary, event_id: 'a' })
  const { items } = await fetchDirectly('/calendar/v3/calendars/primary/events?orderBy=startTime')
  assert.deepEqual(pick('id', [items]), [['b', created.id]])
  assert.deepEqual([items[1].summary, items[1].attendees[0].email], [TEXT, 'carol@example.com'])
}

/** Not called: copies, exports, comments, sharing and trashing, which the stand-in does not support. */
const useDrive = async ({ call, callAfterGrant, fetchDirectly }: LinkedConnector): Promise<void> => {
  const files = await readAllPages(call, 'search_files', { query: "name contains '.txt'", page_size: 2 })
  assert.deepEqual(pick('name', files).flat().toSorted(), ['a.txt', 'b.txt', 'c.txt'])
  assert.equal(files.length, 2)
  assert.equal((await call('get_file', { file_id: 'a' })).name, 'a.txt')
  assert.deepEqual(await call('download_text', { file_id: 'a' }), { text: TEXT })

  const folder = await callAfterGrant('create_folder', { name: TEXT })
  await call('rename_file', { file_id: 'a', name: 'renamed.txt' })
  await call('move_file', { file_id: 'a', from_folder_id: 'root', to_folder_id: folder.id })
  const [moved] = (await call('list_folder', { folder_id: folder.id })).items
  assert.equal(moved.id, 'a')
  const stored = await fetchDirectly('/drive/v3/files/a')
  assert.deepEqual([stored.name, stored.parents], ['renamed.txt', [folder.id]])
}

const shared = {
  vendor: google,
  signsInAs: BEN,
  account: BEN,
  refresh: { rotates: false },
}

/** The vendor revokes all grants between a client and an account at once, and these three connectors share a client. */
export const googleCases: StandInCase[] = [
  {
    ...shared,
    slug: 'gmail',
    name: 'Gmail',
    denial: { error: 'access_denied' },
    useTools: useGmail,
    receipt: 'kept_shared',
  },
  {
    ...shared,
    slug: 'google-calendar',
    name: 'Google Calendar',
    useTools: useCalendar,
    receipt: 'kept_shared',
  },
  {
    ...shared,
    slug: 'google-drive',
    name: 'Google Drive',
    useTools: useDrive,
    receipt: 'revoked',
    checkRevoked: async ({ fetchDirectly, standIn }, { refresh }) => {
      const { client_id, client_secret } = standIn.client
      const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id, client_secret }
      assert.equal((await fetchDirectly('/oauth2/token', withForm(form))).error, 'invalid_grant')
    },
  },
]

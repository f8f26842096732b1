import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { SHIPPED_FOLDER } from '../../src/features/connectors/catalog/catalog.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { writeConnectors } from '../support/listed-connectors.ts'
import { signInPerson } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const SLUG = 'sandbox-notes'
const MARKED = 'general \u202e notes'

/** Notes with a tool whose argument refers to a note: it adds a note like the latest one that contains a text. */
const notesWithPreview = (): ConnectorFile => {
  const file = JSON.parse(readFileSync(join(SHIPPED_FOLDER, `${SLUG}.json`), 'utf8'))
  const [, create] = file.tools
  file.replaces = true
  file.tools.push({
    ...create,
    name: 'reply_to_note',
    title: 'Reply to a note',
    input_schema: {
      type: 'object',
      properties: { note: { type: 'string' }, text: { type: 'string' }, optional: { type: 'string' } },
      required: ['note', 'text'],
      additionalProperties: false,
    },
    request: {
      ...create.request,
      body: { title: 'Reply', text: '{text}', about: '{note}', other: '{optional}' },
    },
    roles: { note: 'target', text: 'text', optional: 'none' },
    preview: [
      {
        tool: 'list_notes',
        arguments: { query: '{note}', limit: 1 },
        fields: [
          { label: 'Note', at: '/notes/*/title' },
          { label: 'Changed', at: '/notes/*/updated_at', display_only: true },
          { label: 'Nothing', at: '/notes/*/none' },
        ],
      },
      {
        tool: 'list_notes',
        arguments: { query: '{optional}' },
        fields: [{ label: 'Other', at: '/notes/*/title' }],
      },
    ],
  })
  return file
}

describe('previews of approvals', () => {
  const files = writeConnectors([notesWithPreview()])
  let t: TestService
  before(async () => {
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: files.folder })
  })
  after(async () => {
    await t.stop()
    files.remove()
  })

  let organizations = 0
  const open = async (approvers = ['members']) => {
    t.sandbox.reset()
    const organization = await t.createOrganization(`Previews ${++organizations}`)
    const { key } = organization
    const api = (method: string, path: string, body?: unknown, by = key) =>
      t.call(method, `/api/v1${path}`, { key: by, ...(body !== undefined && { body }) })
    const keyOf = async (group: string): Promise<string> => {
      const { body } = await api('POST', '/api-keys', { mode: 'production' })
      // Only an administrator can create such a key.
      await t.query('update api_keys set groups = array[$2] where id = $1', [body.id, group])
      return body.key
    }
    const rule = { name: 'Notes', effect: 'ask', tools: [`${SLUG}__reply_to_note`], approvers }
    const saved = await api('POST', '/policy-rules', rule, await keyOf('policies'))
    assert.equal(saved.status, 201, saved.text)
    const user = await t.createUser({}, key)
    const minted = await api('POST', `/registered-users/${user.id}/link-token`, { connector: SLUG })
    await linkNotes(createBrowserUser(), minted.body.magic_link_url)
    const member = await signInPerson(t, { role: 'security', organizationId: organization.id })
    const tool = async (name: string, args: object) => {
      const params = { name: `${SLUG}__${name}`, arguments: args }
      const { body } = await t.mcp(user.id, 'tools/call', params, { key, packId: organization.toolPackId })
      return body.result.structuredContent
    }
    const reply = (args: object) => tool('reply_to_note', args)
    const ask = async (args: object): Promise<string> => {
      const meta = await reply(args)
      assert.equal(meta.type, 'approval_meta', JSON.stringify(meta))
      return meta.approval_id
    }
    const callOf = async (id: string) => {
      const read = await member.call('GET', `/api/v1/approvals/${id}/call`)
      assert.equal(read.status, 200, read.text)
      return read.body
    }
    const approve = async (id: string) => {
      const { approval_digest } = await callOf(id)
      const decided = await member.call('POST', `/api/v1/approvals/${id}/decision`, {
        body: { decision: 'approve', approval_digest },
      })
      assert.equal(decided.body.status, 'approved', decided.text)
    }
    const statusOf = async (id: string): Promise<string> => (await api('GET', `/approvals/${id}`)).body.status
    const reads = () => t.sandbox.ledger.filter(({ kind }) => kind === 'notes.list').length
    const written = () => t.sandbox.ledger.filter(({ kind }) => kind === 'notes.create').length
    /** The page on which the user decides. */
    const openPage = async (id: string) => {
      await api('POST', '/callback-origins', { origin: 'http://127.0.0.1:4999' })
      const body = { registered_user_id: user.id, return_url: 'http://127.0.0.1:4999/application/approved' }
      const approvalKey = await keyOf('approvals')
      const link = await api('POST', `/approvals/${id}/link`, body, approvalKey)
      assert.equal(link.status, 201, link.text)
      const browser = createBrowserUser()
      return { browser, page: await browser.open(link.body.url), approvalKey }
    }
    const pageOf = async (id: string): Promise<string> => (await openPage(id)).page.html
    /** Approves the call, and every other one with the same target and any text. */
    const remember = async (id: string) => {
      const { browser, page, approvalKey } = await openPage(id)
      await browser.submit(page, /\/approve(?:\?|$)/, { remember: 'day', remember_texts: 'yes' })
      const code = new URL(browser.lastLocation ?? '').searchParams.get('code')
      const confirmation = { code, registered_user_id: user.id }
      const confirmed = await api('POST', '/approvals/confirm', confirmation, approvalKey)
      assert.equal(confirmed.body.status, 'approved', confirmed.text)
    }
    return { api, tool, reply, ask, callOf, approve, statusOf, reads, written, pageOf, remember }
  }

  it('the person sees what an argument refers to; the call runs while that is the same [approval.preview]', async () => {
    const { reply, ask, callOf, approve, statusOf, reads, written } = await open()
    const args = { note: 'Lisbon', text: 'Booked.' }
    const id = await ask(args)
    const { preview } = await callOf(id)
    assert.equal(preview.length, 1, 'a preview of an argument that the call lacks is left out')
    const [{ is_loaded: isLoaded, fields }] = preview
    assert.equal(isLoaded, true)
    assert.deepEqual(
      fields.map(({ label, display_only }: any) => [label, display_only]),
      [
        ['Note', false],
        ['Changed', true],
      ],
      'a field without a value is left out',
    )
    assert.equal(fields[0].text, 'Lisbon in April')
    const readBefore = reads()
    assert.equal(await ask(args), id)
    assert.equal(reads(), readBefore, 'a repeat while it waits reads nothing')
    await approve(id)
    assert.match((await reply(args)).title, /^Reply$/)
    assert.equal(await statusOf(id), 'done')
    assert.equal(written(), 1)
  })

  it('a preview that differs before the call voids the approval, and the call asks again [approval.preview]', async () => {
    const { api, tool, ask, callOf, approve, statusOf, written } = await open()
    const args = { note: 'Lisbon', text: 'Booked.' }
    const id = await ask(args)
    await approve(id)
    await tool('create_note', { title: `Lisbon ${MARKED}`, text: 'x' })
    const again = await ask(args)
    assert.notEqual(again, id)
    assert.equal(await statusOf(id), 'void')
    assert.equal(written(), 1, 'only the note of the test')
    const { body } = await api('GET', '/events?type=approval.ended')
    assert.deepEqual(
      body.data.map(({ data }: any) => [data.approval_id, data.reason]),
      [[id, 'void']],
    )
    assert.equal((await callOf(again)).preview[0].fields[0].text, `Lisbon ${MARKED}`)
    await approve(again)
    assert.equal((await callOf(again)).preview[0].is_loaded, true)
  })

  it('a preview that cannot be loaded does not keep the call from asking or running [approval.preview]', async () => {
    const { reply, ask, callOf, approve, written } = await open()
    t.sandbox.script({ target: 'notes', behavior: 'status', status: 503, times: 2 })
    const args = { note: 'Kitchen', text: 'Decided.' }
    const id = await ask(args)
    assert.deepEqual((await callOf(id)).preview, [{ is_loaded: false, fields: [] }])
    await approve(id)
    assert.match((await reply(args)).title, /^Reply$/)
    assert.equal(written(), 1)
  })

  it('the page of the user shows the preview with marks, or that it is missing [approval.preview]', async () => {
    const { tool, ask, pageOf } = await open(['user'])
    await tool('create_note', { title: `Lisbon ${MARKED}`, text: 'x' })
    const page = await pageOf(await ask({ note: 'Lisbon', text: 'Booked.' }))
    assert.match(page, /<dt>(?:<span[^>]*>)?Note(?:<\/span>)?<\/dt>/)
    assert.match(page, /Lisbon general <mark[^>]*>[^<]+<\/mark> notes/)
    assert.doesNotMatch(page, /could not be loaded/)
    t.sandbox.script({ target: 'notes', behavior: 'status', status: 503, times: 2 })
    assert.match(
      await pageOf(await ask({ note: 'Lisbon', text: 'Paid.' })),
      /Details could not be loaded from/,
    )
  })

  it('a preview that was seen and cannot be loaded any more voids the approval [approval.preview]', async () => {
    const { ask, approve, callOf, statusOf, written } = await open()
    const args = { note: 'Kitchen', text: 'Decided.' }
    const id = await ask(args)
    await approve(id)
    t.sandbox.script({ target: 'notes', behavior: 'status', status: 503, times: 2 })
    const again = await ask(args)
    assert.equal(await statusOf(id), 'void')
    assert.deepEqual((await callOf(again)).preview, [{ is_loaded: false, fields: [] }])
    assert.equal(written(), 0)
  })

  it('a remembered approval is for what the person has seen: another target, or a renamed one, asks again [approval.remember] [approval.preview]', async () => {
    const { tool, reply, ask, remember, written } = await open(['user'])
    await remember(await ask({ note: 'Lisbon', text: 'Booked.' }))
    for (const text of ['Booked.', 'Paid.', 'Packed.'])
      assert.ok((await reply({ note: 'Lisbon', text })).title, text)
    assert.equal(written(), 3)
    await ask({ note: 'Kitchen', text: 'Booked.' })
    await ask({ note: 'Lisbon', text: 'Booked.', optional: 'more' })
    await tool('create_note', { title: 'Lisbon, cancelled', text: 'x' })
    await ask({ note: 'Lisbon', text: 'Gone.' })
    assert.equal(written(), 4)
  })
})

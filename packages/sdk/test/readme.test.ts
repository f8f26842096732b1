import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { exampleEvent } from '@carabiner/contract'
import { Webhook } from 'standardwebhooks'
import { buildPackages } from '../../../scripts/build-packages.ts'
import { createBrowserUser, linkNotes } from '../../../server/test/support/browser-user.ts'
import { eventually } from '../../../server/test/support/eventually.ts'
import { joinTestService, type TestService } from '../../../server/test/support/test-service.ts'
import type { AuthenticateMeta } from '../src/index.ts'
import { writeWebhookSnippets } from './webhook-snippets.ts'

/** Runs the examples of the README as one module against the built package. */
const root = join(import.meta.dirname, '../../..')
const folder = join(root, `.cache/sdk-readme-${process.pid}`)
const file = join(folder, 'readme.ts')
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(match => match[1])

type Session = { state?: string; userId: string }
type Readme = {
  startLinking: (session: Session) => Promise<string>
  finishLinking: (url: string, session: Session) => Promise<string>
  watchCredentials: (signal: AbortSignal, notify: (userId: string, slug: string) => void) => Promise<void>
  receiveWebhook: (request: Request, secret: string) => Promise<Response>
  addNote: (title: string) => Promise<string>
  listNotes: (onAuthenticate: (meta: AuthenticateMeta) => Promise<void>) => Promise<any>
}
let service: TestService
let examples: Readme

before(async () => {
  await buildPackages()
  service = await joinTestService()
  await service.allowOrigin('https://app.example.com')
  process.env['CARABINER_API_KEY'] = service.organization.key
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    file,
    blocks
      .join('\n')
      .replaceAll('https://connect.example.com', service.baseUrl)
      .concat('export { link_token, magic_link_url }\n'),
  )
  examples = (await import(file)) as Readme
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service?.stop()
})

test('the examples compile', async () => {
  // One run of the compiler checks the receivers of docs/guides/webhooks.md as well.
  const receivers = Object.values(writeWebhookSnippets(join(folder, 'receivers')))
  const options = { extends: join(root, 'tsconfig.json'), include: [file, ...receivers], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: root }).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  )
})

test('a tool call connects the account and continues', async () => {
  let requests = 0
  const result = await examples.listNotes(async ({ magic_link_url }) => {
    requests++
    await linkNotes(createBrowserUser(), magic_link_url as string)
  })
  assert.equal(requests, 1)
  assert.equal(result.structuredContent.notes.length, 3)
  assert.equal(await examples.addNote('From the README'), 'The note was added.')
})

test('a stream reports the credentials that need a new sign-in', async () => {
  const stop = new AbortController()
  const reported: string[] = []
  const notify = (userId: string, slug: string) => {
    reported.push(`${userId} ${slug}`)
    stop.abort('enough')
  }
  const ended = assert.rejects(examples.watchCredentials(stop.signal, notify), reason => reason === 'enough')
  // The stream starts at an unknown moment, so users are reported until one arrives.
  const users: string[] = []
  await eventually(async () => {
    const { id } = await service.createUser()
    users.push(id)
    const data = { credential_id: id, connector_slug: 'sandbox-notes', reason: 'revoked' }
    await service.query(`select record_event($1, $2, 'credential.needs_reauth', $3)`, [
      service.organization.id,
      id,
      data,
    ])
    assert.ok(reported.length > 0)
  })
  await ended
  assert.ok(users.some(id => reported.includes(`${id} sandbox-notes`)))
})

test('a webhook is accepted with its signature only', async () => {
  const secret = 'whsec_c2VjcmV0'
  const sentAt = new Date()
  const text = JSON.stringify(exampleEvent('link.completed'))
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', sentAt, text),
  }
  const receive = async (body: string) => {
    const request = new Request('https://app.example.com/webhooks', { method: 'POST', headers, body })
    return (await examples.receiveWebhook(request, secret)).status
  }
  assert.equal(await receive(text), 204)
  assert.equal(await receive(`${text} `), 400)
})

test('a code is redeemed once, and only in the session that started the link', async () => {
  const session: Session = { userId: (await service.createUser()).id }
  const link = await examples.startLinking(session)
  const callback = await linkNotes(createBrowserUser(), link)
  const url = callback.url
  assert.match(url, /^https:\/\/app\.example\.com\/linked\?/)
  const otherSession = 'This link was not started here. Start over.'
  assert.equal(await examples.finishLinking(url, { ...session, state: 'another' }), otherSession)
  assert.equal(await examples.finishLinking(url, session), 'sandbox-notes is connected.')
  await assert.rejects(examples.finishLinking(url, session), {
    name: 'CarabinerError',
    status: 400,
    code: 'invalid_authorization_code',
  })
})

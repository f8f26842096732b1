import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { WebhookEvent } from '@carabiner/contract'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { compiledCode } from '../../../../server/test/support/compiled-code.ts'
import { eventually } from '../../../../server/test/support/eventually.ts'
import { type Fleet, type Node, post, startFleet } from '../../../../server/test/support/processes.ts'
import { type ReceivedWebhook, startReceiver } from '../../../../server/test/support/webhook-receiver.ts'
import { createTestContext } from '../../test/command-context.ts'
import { runWords, runWordsOf } from '../../test/run-words.ts'
import { runCommand } from '../program/run-program.ts'
import { createProgram } from '../register-commands.ts'

const LINE = /^\d\d:\d\d:\d\d {2}registered_user\.created +evt_\S+ {2}(\S+) {2}\d+ ms$/
const SECRET = 'whsec_c2VjcmV0LW9mLXRoZS1yZWNlaXZlcg=='

describe('carabiner webhooks and logs', () => {
  let fleet: Fleet & { first: Node }
  let service: Node
  let environment: Record<string, string>
  before(async () => {
    fleet = await startFleet()
    service = fleet.first
    environment = { CARABINER_URL: service.baseUrl, CARABINER_API_KEY: fleet.key }
  })
  after(() => fleet?.stop())

  let users = 0
  const createUser = () =>
    post(`${service.baseUrl}/api/v1/registered-users`, fleet.key, { origin_user_id: `cli-${++users}` })
  /** The stream starts at an unknown moment, so users are created until an event arrives. */
  const createUsersUntil = (holds: () => boolean) =>
    eventually(async () => {
      await createUser()
      assert.ok(holds())
    })
  const listen = (receiver: { url: string }, ...options: string[]) => {
    const context = createTestContext(environment)
    const words = ['webhooks', 'listen', '--forward-to', receiver.url, ...options]
    return { ...context, ended: runWordsOf(createProgram, words, context) }
  }
  const verify = (secret: string, { body, headers }: ReceivedWebhook) =>
    new Webhook(secret).verify(body, headers as Record<string, string>)
  const trigger = (args: string[], settings = environment) =>
    runWords(['webhooks', 'trigger', ...args], settings)

  it('endpoints are created, listed, changed, paused, rotated, replayed and deleted', async () => {
    await using receiver = await startReceiver()
    const run = (...args: string[]) => runWords(['webhooks', ...args], environment)
    const created = await run(
      'create',
      receiver.url,
      '--types',
      'registered_user.created',
      '--description',
      'Mine',
    )
    const { id, secret } = created.data as { id: string; secret: string }
    assert.match(created.text, new RegExp(`${id}\n.*Status +active\n.*Secret {2}whsec_`, 's'))
    await createUser()
    await eventually(async () => assert.equal(receiver.received.length, 1))
    verify(secret, receiver.received[0] as ReceivedWebhook)
    assert.match(
      (await run('list')).text,
      new RegExp(`${id}  active  single  http://\\S+  registered_user.created`),
    )
    await eventually(async () =>
      assert.match((await run('deliveries', 'list', id, '--status', 'delivered')).text, /delivered +1 +200$/),
    )
    const [{ id: deliveryId }] = (await run('deliveries', 'list', id)).data as [{ id: string }]
    const shown = await run('deliveries', 'show', deliveryId)
    assert.ok(shown.text.includes(`Body\n  ${receiver.received[0]?.body}\n`), shown.text)
    assert.match(
      shown.text,
      /Attempt 1 .* status 200 .*\n.*\n(?: {2}.*\n)* {2}webhook-signature: v1,…\n {2}webhook-timestamp: \d+\nResponse headers\n(?: {2}.*\n)+Response body\n {2}ok$/,
    )
    assert.match((await run('replay', id, '--status', 'delivered')).text, /^1 delivery is made again/)
    await eventually(async () => assert.equal(receiver.received.length, 2))
    assert.match((await run('pause', id)).text, /paused/)
    assert.match((await run('resume', id)).text, /active/)
    assert.match((await run('update', id, '--types', 'link.opened')).text, /Types +link\.opened$/m)
    assert.notEqual(((await run('rotate-secret', id)).data as { secret: string }).secret, secret)
    await run('delete', id)
    await assert.rejects(run('pause', id), /webhook_endpoint_not_found/)
    await assert.rejects(run('create', receiver.url, '--format', 'xml'), /Allowed choices are single, batch/)
    await assert.rejects(run('pause'), /Missing required argument 'id'/)
    await assert.rejects(run('list', '--url', 'x'), /Unknown option '--url'/)
  })

  it('listen: forwards events with a signature of the printed secret, and prints a line for each', async () => {
    await using receiver = await startReceiver()
    const { lines, notices, stop, ended } = listen(receiver)
    await createUsersUntil(() => receiver.received.length > 0)
    const [, secret = ''] = /signed with the secret (whsec_\S+)$/.exec(notices[0] ?? '') ?? []
    const [webhook] = receiver.received as [ReceivedWebhook]
    assert.deepEqual(verify(secret, webhook), webhook.events[0])
    assert.equal(webhook.headers['webhook-id'], webhook.events[0]?.id)
    await eventually(async () => assert.equal(LINE.exec(lines[0] ?? '')?.[1], '200'))
    assert.ok(lines[0]?.includes(String(webhook.events[0]?.id)))
    stop.abort()
    const { text, data } = await ended
    const count = lines.length
    assert.deepEqual(data, { forwarded: count, accepted: count, failed: 0 })
    assert.match(text, /^\d+ events? sent: \d+ accepted, 0 failed\.$/)
  })

  it('listen: sends only the given types, with the given secret', async () => {
    await using receiver = await startReceiver()
    const options = ['--types', 'registered_user.updated, link.opened', '--secret', SECRET, '--json']
    const { lines, stop, ended } = listen(receiver, ...options)
    await eventually(async () => {
      const { body } = await createUser()
      // Creating a user with a known ID updates it.
      await post(`${service.baseUrl}/api/v1/registered-users`, fleet.key, {
        origin_user_id: body.origin_user_id,
        origin_user_name: 'Ana',
      })
      assert.ok(lines.length > 0)
    })
    stop.abort()
    await ended
    assert.deepEqual(new Set(receiver.events().map(({ type }) => type)), new Set(['registered_user.updated']))
    verify(SECRET, receiver.received[0] as ReceivedWebhook)
    const { type, id, status, error } = JSON.parse(lines[0] as string)
    assert.deepEqual(
      [type, id, status, error],
      [receiver.events()[0]?.type, receiver.events()[0]?.id, 200, null],
    )
  })

  it('listen: reports a receiver that fails or is down, and continues', async () => {
    const receiver = await startReceiver()
    receiver.answerWith((_, response) => void response.writeHead(500).end())
    const { lines, stop, ended } = listen(receiver)
    const statuses = () => lines.map(line => LINE.exec(line)?.[1])
    await createUsersUntil(() => statuses().includes('500'))
    await receiver[Symbol.asyncDispose]()
    await createUsersUntil(() => statuses().includes('ECONNREFUSED'))
    stop.abort()
    const { data } = await ended
    assert.deepEqual(data, { forwarded: lines.length, accepted: 0, failed: lines.length })
  })

  it('listen: continues after the service was restarted, with the events that happened meanwhile', async () => {
    await using receiver = await startReceiver()
    const { notices, stop, ended } = listen(receiver)
    await createUsersUntil(() => receiver.received.length > 0)
    const organizationId = receiver.events()[0]?.organization_id
    await service.kill('SIGTERM')
    const client = new pg.Client({ connectionString: fleet.database.url })
    await client.connect()
    const data = { tool_pack_id: fleet.userId, name: 'meanwhile', change: 'updated' }
    await client.query(`select record_event($1, null, 'tool_pack.updated', $2)`, [organizationId, data])
    await client.end()
    service = await fleet.start(Number(new URL(service.baseUrl).port))
    const isMeanwhile = (event: WebhookEvent) => 'name' in event.data && event.data.name === 'meanwhile'
    await eventually(async () => assert.ok(receiver.events().some(isMeanwhile)))
    stop.abort()
    await ended
    assert.ok(notices.some(line => /was lost. Trying again in \d+ s\.$/.test(line)))
    assert.equal(notices.at(-1), 'Connected again.')
  })

  it('trigger: sends through an endpoint of the service, and prints the response of the receiver', async () => {
    await using receiver = await startReceiver()
    const { body: endpoint } = await post(`${service.baseUrl}/api/v1/webhook-endpoints`, fleet.key, {
      url: receiver.url,
    })
    receiver.answerWith((_, response) => void response.end('line 1\nline 2\u001b[31m'))
    const accepted = await trigger(['link.completed', '--endpoint', endpoint.id])
    assert.match(
      accepted.text,
      /^link\.completed to endpoint \S+ was answered with status 200 \(\d+ ms\):\nline 1\nline 2�/,
    )
    assert.ok(!accepted.failed)
    verify(endpoint.secret, receiver.received[0] as ReceivedWebhook)
    receiver.answerWith((_, response) => void response.writeHead(500).end())
    const failed = await trigger(['link.completed', '--endpoint', endpoint.id])
    assert.match(failed.text, /was answered with status 500 \(\d+ ms\)\.$/)
    assert.equal(failed.failed, true)
    await assert.rejects(async () => trigger(['link.completed', '--endpoint', fleet.userId]), {
      name: 'CommandError',
      message: /webhook_endpoint_not_found, request req_/,
    })
  })

  it('trigger: sends the example directly to a local receiver, without an API key', async () => {
    await using receiver = await startReceiver()
    const target = ['--forward-to', receiver.url]
    const { failed } = await trigger(['credential.revoked', ...target], { WEBHOOK_SECRET: SECRET })
    assert.ok(!failed)
    await trigger(['credential.revoked', ...target, '--secret', SECRET], {})
    const [first, second] = receiver.received as [ReceivedWebhook, ReceivedWebhook]
    for (const webhook of [first, second]) verify(SECRET, webhook)
    assert.equal(first.events[0]?.type, 'credential.revoked')
    assert.notEqual(
      first.headers['webhook-id'],
      second.headers['webhook-id'],
      'a receiver skips repeated IDs',
    )
    await receiver[Symbol.asyncDispose]()
    const down = await trigger(['credential.revoked', ...target, '--secret', SECRET], {})
    assert.match(down.text, /was not received: ECONNREFUSED/)
    assert.equal(down.failed, true)
  })

  it('errors name the problem and what to do', async () => {
    const local = ['--forward-to', 'http://localhost:9/']
    const failsWith = (message: RegExp, args: string[], settings: Record<string, string> = environment) =>
      assert.rejects(runWords(['webhooks', ...args], { XDG_CONFIG_HOME: '/nonexistent', ...settings }), {
        message,
      })
    await failsWith(/There is no API key\. Run `carabiner login`/, ['listen', ...local], {})
    await failsWith(/^CARABINER_API_KEY .*invalid characters/, ['listen', ...local], {
      CARABINER_API_KEY: 'a b',
    })
    await failsWith(/^The URL must be/, ['listen', ...local], { ...environment, CARABINER_URL: 'x' })
    await failsWith(/rejected CARABINER_API_KEY \(invalid_api_key\)/, ['listen', ...local], {
      ...environment,
      CARABINER_API_KEY: 'cb_sk_test_wrong',
    })
    await failsWith(/localhost:9 cannot be reached \(\w+\)\. Check the URL/, ['listen', ...local], {
      ...environment,
      CARABINER_URL: 'http://localhost:9',
    })
    const other = createServer((_request, response) => response.end('Welcome')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    await failsWith(/status 200, but not as Carabiner does/, ['listen', ...local], {
      ...environment,
      CARABINER_URL: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    })
    other.closeAllConnections()
    other.close()
    await failsWith(/Required option '--forward-to <url>' not specified/, ['listen'])
    for (const url of [
      'http://example.com/',
      'http://10.0.0.1/',
      'http://localhost.example.com/',
      'http://[::2]/',
    ])
      await failsWith(/to this machine only .* Use HTTPS/, ['listen', '--forward-to', url])
    for (const url of ['localhost:3000', 'ftp://localhost/', 'x'])
      await failsWith(/must be a URL such as/, ['listen', '--forward-to', url])
    await failsWith(/user or password/, ['listen', '--forward-to', 'http://a:b@localhost/'])
    await failsWith(/--secret must be/, ['listen', ...local, '--secret', 'abc'])
    await failsWith(/--secret \(or WEBHOOK_SECRET\) is required/, ['trigger', 'link.opened', ...local])
    await failsWith(/either --endpoint or --forward-to/, ['trigger', 'link.opened'])
    await failsWith(/either --endpoint or --forward-to/, [
      'trigger',
      'link.opened',
      ...local,
      '--endpoint',
      '1',
    ])
    await failsWith(/Unknown option '--endpoint'/, ['listen', ...local, '--endpoint', '1'])
    await failsWith(/Unknown command 'send'/, ['send'])
    await failsWith(/Unknown option '--port'/, ['listen', ...local, '--port', '1'])
    assert.match((await runWords(['webhooks'], {})).text, /listen \[options\][\s\S]*trigger \[options\]/)
  })

  it('an unknown type is rejected with similar ones', async () => {
    const unknown = (type: string, message: RegExp) =>
      assert.rejects(async () => trigger([type, '--endpoint', '1']), { name: 'UsageError', message })
    await unknown('link.complete', /"link.complete". Did you mean link\.completed/)
    await unknown('Credential.Revoked', /Did you mean credential\.revoked/)
    await unknown('needs_reauth', /Did you mean credential\.needs_reauth\?/)
    await unknown('xyz', /The types are: registered_user\.created, /)
    await assert.rejects(runWords(['logs', 'tail', '--types', 'link.opend'], environment), {
      message: /Did you mean link\.opened/,
    })
  })

  it('logs tail: prints a line for each event', async () => {
    const context = createTestContext(environment)
    const { lines, stop } = context
    const ended = runCommand(createProgram, ['logs', 'tail', '--types', 'registered_user.created'], context)
    await createUsersUntil(() => lines.length > 0)
    stop.abort()
    assert.equal(await ended, null)
    assert.match(
      lines[0] ?? '',
      /^\d\d:\d\d:\d\d {2}registered_user\.created +user=\S+ {2}origin_user_id=cli-\d+$/,
    )
  })

  const run = (...args: string[]) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../main.ts'), ...args], {
      env: { PATH: process.env.PATH, ...compiledCode, ...environment },
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', chunk => (output.stdout += String(chunk)))
    child.stderr.on('data', chunk => (output.stderr += String(chunk)))
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
    return { child, output, exited }
  }

  it('logs tail: ends without an error when its reader ends, as in a pipe to head', async () => {
    const { child, output, exited } = run('logs', 'tail', '--json')
    await createUsersUntil(() => output.stdout.includes('\n'))
    assert.ok(JSON.parse(output.stdout.split('\n')[0] as string).id)
    child.stdout.destroy()
    await createUsersUntil(() => child.exitCode !== null)
    assert.deepEqual(await exited, [0, null])
    assert.equal(output.stderr, `Connected to ${service.baseUrl}. Ctrl-C ends.\n`)
  })

  it('listen: Ctrl-C ends the process with a summary and exit code 130', async () => {
    await using receiver = await startReceiver()
    const { child, output, exited } = run('webhooks', 'listen', '--forward-to', receiver.url)
    await createUsersUntil(() => output.stdout.includes('registered_user.created'))
    child.kill('SIGINT')
    assert.deepEqual(await exited, [130, null])
    assert.match(output.stdout, /\n\d+ events? sent: \d+ accepted, 0 failed\.\n$/)
    assert.match(output.stderr, /signed with the secret whsec_/)
  })
})

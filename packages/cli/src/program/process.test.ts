import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../../scripts/postgres-cluster.ts'
import { eventually } from '../../../../server/test/support/eventually.ts'
import { runProcess, startProcess } from '../../test/run-process.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A service whose answers the test decides. */
const startStub = async () => {
  const stub = { answer: (() => undefined) as Answer, requests: 0, url: '' }
  const server = createServer((request, response) => {
    stub.requests++
    stub.answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return Object.assign(stub, { close })
}

const sendJson = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
const errorBody = (code: string, message: string) => ({
  error: { code, message, type: 'x', request_id: 'req_1' },
})
const ESCAPE = '\u001b'

describe('the command as a process', () => {
  let stub: Awaited<ReturnType<typeof startStub>>
  let environment: Record<string, string>
  before(async () => {
    stub = await startStub()
    environment = { CARABINER_URL: stub.url, CARABINER_API_KEY: 'cb_sk_test_secret' }
  })
  after(() => stub.close())
  const run = (...words: string[]) => runProcess(words, { environment })
  const users = (count: number) => ({
    data: Array.from({ length: count }, (_, n) => ({
      id: `0190a5c1-7b1e-7f00-8000-${String(n).padStart(12, '0')}`,
      origin_user_id: `user-${n}`,
      origin_user_name: 'x'.repeat(200),
      is_active: true,
      is_test: true,
      metadata: {},
      linked_connectors: [],
      created_at: '2030-01-31T12:00:00.000Z',
    })),
    next_cursor: null,
  })

  it('help and version: on standard output, exit code 0', async () => {
    for (const words of [
      [],
      ['--help'],
      ['help', 'users'],
      ['users'],
      ['users', 'list', '--help'],
      ['--version'],
    ]) {
      const { code, stdout, stderr } = await run(...words)
      assert.deepEqual([code, stderr], [0, ''], words.join(' '))
      assert.ok(stdout.length > 3)
    }
    assert.equal(stub.requests, 0)
  })

  it('wrong usage: exit code 2 with a suggestion, and nothing on standard output', async () => {
    for (const [words, message] of [
      [['usres'], /^Unknown command 'usres'\. Did you mean users\?\nSee `carabiner --help`\.\n$/],
      [['users', 'lst'], /Did you mean list\?\nSee `carabiner users --help`/],
      [['users', 'list', '--serch', 'x'], /Unknown option '--serch'\. Did you mean --search\?/],
      [['users', 'list', '--limit', 'many'], /whole number from 1 to 1000000/],
      [['users', 'show'], /Missing required argument 'user'/],
      [['users', 'show', 'a', 'b'], /Too many arguments/],
    ] as const) {
      const { code, stdout, stderr } = await run(...words)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, message)
    }
  })

  it('--json: an error is one JSON object on standard error', async () => {
    stub.answer = (_, response) => sendJson(response, 404, errorBody('tool_pack_not_found', 'No pack.'))
    const { code, stdout, stderr } = await run(
      'packs',
      'show',
      '0190a5c1-7b1e-7f00-8000-00000000c0de',
      '--json',
    )
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(JSON.parse(stderr).error.code, 'tool_pack_not_found')
    assert.equal(JSON.parse((await run('nope', '--json')).stderr).error.code, 'usage')
  })

  it('a wrong or expired key, 429, 503 and a foreign service: exit code 1 with the cause and the advice', async () => {
    const failsWith = async (answer: Answer, message: RegExp) => {
      stub.answer = answer
      const { code, stdout, stderr } = await run('users', 'list')
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, message)
      assert.ok(!stderr.includes('cb_sk_test_secret'))
    }
    await failsWith(
      (_, response) => sendJson(response, 401, errorBody('expired_api_key', 'Expired.')),
      /rejected CARABINER_API_KEY \(expired_api_key\)\. Use a current API key/,
    )
    const later = { 'retry-after': '60' }
    await failsWith(
      (_, response) => sendJson(response, 429, errorBody('rate_limited', 'Too many requests.'), later),
      /^Too many requests\. Try again in 60 s\. \(rate_limited, request req_1\)\n$/,
    )
    await failsWith(
      (_, response) => sendJson(response, 503, errorBody('unavailable', 'Not ready.'), later),
      /^Not ready\. Try again in 60 s\./,
    )
    await failsWith((_, response) => response.end('Welcome'), /status 200, but not as Carabiner does/)
  })

  it('a short 503 is retried', async () => {
    let answers = 0
    stub.answer = (_, response) =>
      answers++ === 0
        ? sendJson(response, 503, errorBody('unavailable', 'Not ready.'))
        : sendJson(response, 200, users(1))
    assert.equal((await run('users', 'list')).code, 0)
    assert.equal(answers, 2)
  })

  it('no network: exit code 1 with the system’s error code', async () => {
    const words = ['users', 'list']
    const closed = `http://127.0.0.1:${await freePort()}`
    const refused = await runProcess(words, {
      environment: { ...environment, CARABINER_URL: closed },
    })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^http:\/\/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/)
    const unknown = { ...environment, CARABINER_URL: 'http://carabiner.invalid' }
    assert.match((await runProcess(words, { environment: unknown })).stderr, /cannot be reached \(E[A-Z_]+\)/)
  })

  it('a large result is written completely to a pipe', async () => {
    stub.answer = (_, response) => sendJson(response, 200, users(20_000))
    const { code, stdout } = await run('users', 'list', '--limit', '20000', '--json')
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).length, 20_000)
    const { stdout: text } = await run('users', 'list', '--limit', '20000')
    assert.equal(text.trimEnd().split('\n').length, 20_001)
    assert.ok(text.includes('x'.repeat(200)), 'nothing is truncated without a terminal')
  })

  it('a pipe that is closed early ends the command quietly with exit code 0', async () => {
    stub.answer = (_, response) => sendJson(response, 200, users(20_000))
    const { child, ended, output } = startProcess(['users', 'list', '--limit', '20000'], {
      environment,
      input: '',
    })
    child.stdout.once('data', () => child.stdout.destroy())
    const { code } = await ended
    assert.deepEqual([code, output.stderr], [0, ''])
  })

  it('Ctrl-C during a request: exit code 130 at once', async () => {
    stub.requests = 0
    stub.answer = () => undefined
    const { child, ended } = startProcess(['users', 'list'], { environment, input: '' })
    await eventually(async () => assert.equal(stub.requests, 1))
    child.kill('SIGINT')
    const { code, stderr } = await ended
    assert.deepEqual([code, stderr], [130, ''])
  })

  it('a confirmation without a terminal: exit code 2, and nothing is deleted', async () => {
    const methods: string[] = []
    stub.answer = (request, response) => {
      methods.push(request.method as string)
      sendJson(response, 200, users(1))
    }
    const { code, stderr } = await run('users', 'delete', 'user-0')
    assert.equal(code, 2)
    assert.match(stderr, /cannot be asked without a terminal\. Use --yes\./)
    assert.deepEqual(methods, ['GET'])
  })

  it('colors: none in a pipe, and FORCE_COLOR adds them', async () => {
    stub.answer = (_, response) => sendJson(response, 200, users(1))
    assert.ok(!(await run('users', 'list')).stdout.includes(ESCAPE))
    const forced = await runProcess(['users', 'list'], { environment: { ...environment, FORCE_COLOR: '1' } })
    assert.ok(forced.stdout.includes(`${ESCAPE}[1m`))
    const help = await runProcess(['--help'], { environment: { FORCE_COLOR: '1' } })
    assert.ok(help.stdout.includes(`${ESCAPE}[1m`))
  })
})

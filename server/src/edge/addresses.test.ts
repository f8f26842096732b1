import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { createLog } from '../platform/log.ts'
import { collectAddresses } from './addresses.ts'
import { sendError } from './errors.ts'
import { securityHeaders } from './security-headers.ts'

const createApp = (baseUrl = 'http://localhost') => {
  const app = Fastify({ logger: false, routerOptions: { ignoreTrailingSlash: true } })
  const answerUnknown = collectAddresses(app)
  app.setErrorHandler(sendError(baseUrl, createLog('silent')))
  app.setNotFoundHandler((request, reply) => answerUnknown(request, reply))
  app.addHook('onRequest', securityHeaders(baseUrl))
  app.get('/users', async () => 'list')
  app.post('/users', async () => 'created')
  app.get('/users/:id', async () => 'one')
  app.delete('/users/:id', async () => 'gone')
  app.patch('/users/:id.json', async () => 'odd')
  app.post('/users/:id/link-token', async () => 'token')
  return app
}

describe('an address', () => {
  const app = createApp()
  const send = (method: string, url: string) => app.inject({ method: method as 'GET', url })

  const wrong: [method: string, url: string, allow: string][] = [
    ['PUT', '/users', 'GET, HEAD, POST'],
    ['DELETE', '/users/', 'GET, HEAD, POST'],
    ['OPTIONS', '/users?x=1', 'GET, HEAD, POST'],
    ['POST', '/users/42', 'DELETE, GET, HEAD'],
    ['PUT', '/users/42/', 'DELETE, GET, HEAD'],
    ['GET', '/users/42/link-token', 'POST'],
    ['HEAD', '/users/42/link-token/', 'POST'],
  ]
  for (const [method, url, allow] of wrong)
    it(`responds to ${method} ${url} with 405 and the allowed methods`, async () => {
      const answer = await send(method, url)
      assert.equal(answer.statusCode, 405)
      assert.equal(answer.headers.allow, allow)
      if (method !== 'HEAD') assert.equal(answer.json().error.code, 'method_not_allowed')
    })

  for (const url of [
    '/',
    '/user',
    '/users2',
    '/users/42/other',
    '/users/42/link-token/x',
    '/xusers',
    '//users',
  ])
    it(`that does not exist is 404: ${url}`, async () => {
      const answer = await send('POST', url)
      assert.deepEqual([answer.statusCode, answer.json().error.code], [404, 'not_found'])
      assert.equal(answer.headers.allow, undefined)
    })

  it('treats special pattern characters literally', async () => {
    assert.equal((await send('PUT', '/users/42xjson')).headers.allow, 'DELETE, GET, HEAD')
  })

  it('responds with a request ID and security headers, whatever the status', async () => {
    for (const [method, url] of [
      ['GET', '/users'],
      ['PUT', '/users'],
      ['GET', '/none'],
    ] as const) {
      const { headers } = await send(method, url)
      assert.ok(headers['x-request-id'])
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['strict-transport-security'], undefined)
    }
  })

  it('requires TLS if it is served over TLS', async () => {
    const answer = await createApp('https://link.example.com').inject('/users')
    assert.match(String(answer.headers['strict-transport-security']), /^max-age=31536000/)
    // Browsers would require TLS of every other program on this machine.
    for (const url of ['https://localhost:4000', 'https://127.0.0.1', 'https://[::1]:4000']) {
      const local = await createApp(url).inject('/users')
      assert.equal(local.headers['strict-transport-security'], undefined, url)
    }
  })
})

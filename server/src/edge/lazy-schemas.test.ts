import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { lazySchemas } from './lazy-schemas.ts'

const Body = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
}
const Shown = { type: 'object', properties: { name: { type: 'string' } } }

test('lazy schemas: requests are validated and responses are filtered by their schema', async () => {
  const app = Fastify({ schemaController: lazySchemas })
  app.post('/', { schema: { body: Body, response: { 200: Shown } } }, async request => ({
    ...(request.body as object),
    secret: 1,
  }))
  for (let n = 0; n < 2; n++) {
    const wrong = await app.inject({ method: 'POST', url: '/', payload: { name: {} } })
    assert.deepEqual([wrong.statusCode, wrong.json().message], [400, 'body/name must be string'])
    const good = await app.inject({ method: 'POST', url: '/', payload: { name: 'a' } })
    assert.deepEqual([good.statusCode, good.json()], [200, { name: 'a' }])
  }
  await app.close()
})

test('lazy schemas: a schema is compiled by the first request, not at startup', async () => {
  const app = Fastify({ schemaController: lazySchemas })
  app.post('/', { schema: { body: { type: 'no such type' } } }, async () => 'never')
  await app.ready()
  assert.equal((await app.inject({ method: 'POST', url: '/', payload: {} })).statusCode, 500)
  await app.close()
})

import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { ErrorBody } from '@carabiner/contract'
import { guardedGroups } from '@carabiner/contract/key-groups'
import { Value } from 'typebox/value'
import { jsonLimits } from '../../src/core/json/json-limits.ts'
import { issueToken } from '../../src/core/token.ts'
import { NIL_UUID, newUuid } from '../../src/core/uuid.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { signInPerson } from '../support/person-session.ts'
import {
  type Answer,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/test-service.ts'

type JsonSchema = {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  maxLength?: number
  pattern?: string
  minimum?: number
  enum?: unknown[]
  anyOf?: JsonSchema[]
  const?: unknown
}
type Route = {
  method: string
  /** `path` contains existing IDs, `foreignPath` those of another organization. */
  path: string
  foreignPath: string | null
  body: JsonSchema | null
  productionOnly: boolean
  /** Accepts no key, only a person who is signed in. */
  personOnly: boolean
  /** Accepts no unrestricted key. */
  isGuarded: boolean
  name: string
}
type Operation = {
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } }
  responses: Record<string, { description: string }>
  'x-key-group': unknown
}

/** Fields with names of resources, tools or fields. An unknown or invalid name has its own error code. */
const RESOURCE_NAME_FIELDS = new Set(['connectors', 'tool_pack_ids', 'view', 'tools', 'scopes'])

/** Fields that accept any JSON, and a route with a higher body limit. */
const ORGANIZATION = '0190a5c1-7b1e-7f00-8000-00000000c0de'
const ANYTHING = new Set(['value', 'body'])
const LARGE_BODY_ROUTE = '/security-rules/test'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/** A valid value for the schema, so that a test changes only the value under test. */
const validValue = (schema: JsonSchema): unknown => {
  if (schema.enum) return schema.enum[0]
  if (schema.pattern?.includes('[0-9a-f]{64}')) return 'a'.repeat(64)
  if (schema.type === 'string')
    return (schema as { format?: string }).format === 'email' ? 'a@example.com' : 'x'
  // The required lists of the API contain names of tools.
  if (schema.type === 'array') return ['*']
  if (schema.type === 'integer') return 1
  if (schema.type === 'boolean') return true
  return {}
}
const validBody = (schema: JsonSchema | null): Record<string, unknown> =>
  Object.fromEntries(
    (schema?.required ?? []).map(name => [name, validValue(schema?.properties?.[name] ?? {})]),
  )
/** Options of a valid request. GET has no body. */
const valid = (route: Route): { body?: unknown } => (route.body ? { body: validBody(route.body) } : {})
const fieldsOf = (route: Route): [string, JsonSchema][] =>
  Object.entries(route.body?.properties ?? {}).map(([name, schema]) => [name, withoutNull(schema)])
/** The schema of a field without the null that resets it. */
const withoutNull = (schema: JsonSchema): JsonSchema =>
  schema.anyOf?.length === 2 && schema.anyOf[1]?.type === 'null' ? (schema.anyOf[0] as JsonSchema) : schema
const textFields = (route: Route): string[] =>
  fieldsOf(route).flatMap(([name, { type }]) => (type === 'string' ? [name] : []))

/** The schema with all references resolved. */
const resolveReferences = (value: unknown, schemas: Record<string, unknown>): unknown => {
  if (Array.isArray(value)) return value.map(item => resolveReferences(item, schemas))
  if (value === null || typeof value !== 'object') return value
  if ('$ref' in value) return resolveReferences(schemas[String(value.$ref).split('/').at(-1) ?? ''], schemas)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, resolveReferences(inner, schemas)]),
  )
}

/**
 * `all`: every route gets every invalid form. `in turn`: every route gets the next form of a list, so that the routes together get all of
 * them, in half of the time.
 */
type Forms = 'all' | 'in turn'

const chooserOf = (forms: Forms): (<T>(list: readonly T[]) => T[]) => {
  let turn = 0
  return list => (forms === 'all' ? [...list] : [list[turn++ % list.length] as (typeof list)[number]])
}

export const testInvalidInput = (forms: Forms): Promise<void> =>
  describe('the API with invalid input', () => {
    const chosen = chooserOf(forms)
    let t: TestService
    let other: TestOrganization
    let routes: Route[]
    let allRoutes: Route[]
    let peopleRoutes: Route[]
    let userId: string
    let foreignUserId: string
    let testUserId: string
    let sessionId: string
    let testSessionId: string
    let endpointId: string
    let testEndpointId: string

    before(async () => {
      // A job would change rows between two snapshots.
      t = await startTestService(undefined, {}, { withJobs: false })
      other = await t.createOrganization('Other')
      await t.allowOrigin('https://app.example.com')
      userId = (await t.createUser()).id
      testUserId = (await t.createUser({}, t.organization.testKey)).id
      foreignUserId = (await t.createUser({}, other.key)).id
      allRoutes = await readRoutes()
      routes = allRoutes.filter(({ personOnly, isGuarded }) => !personOnly && !isGuarded)
      peopleRoutes = allRoutes.filter(({ personOnly }) => personOnly)
    })
    after(() => t.stop())

    /** Nested resources use IDs that do not exist; other tests cover existing ones. */
    const fill = (pattern: string, id: string): string =>
      pattern
        .replace('{id}', id)
        .replace('{credential_id}', NIL_UUID)
        .replace('{key_id}', NIL_UUID)
        .replace('{grant_id}', NIL_UUID)
        .replace('{tool_call_id}', NIL_UUID)
        .replace('{slug}', pattern.endsWith('/oauth-app') ? 'sandbox-notes' : 'no-such-server')
    /** The event stream does not end, a summary depends on the time, the affected users and the fields of results need
     * parameters, and there is no delivery and no approval. */
    const readable = () =>
      routes.filter(
        ({ method, path }) =>
          method === 'GET' &&
          !/no-such-server|00000000-|events\/stream$|tool-calls\/(summary|affected-users|result-fields)$|v1\/(mcp-keys|connector-tools|sign-in)$|(?:webhook-deliveries|approvals)\/./.test(
            path,
          ),
      )

    const readRoutes = async (): Promise<Route[]> => {
      const { body } = await t.call('GET', '/api/v1/openapi.json', { key: null })
      const keys = await t.call('GET', '/api/v1/api-keys')
      const foreignKeys = await t.call('GET', '/api/v1/api-keys', { key: other.key })
      const sessionOf = async (user: string, key?: string): Promise<string> => {
        await t.mint(user, {}, key)
        const list = await t.call('GET', `/api/v1/registered-users/${user}/link-sessions`, key ? { key } : {})
        return list.body.data[0].id
      }
      sessionId = await sessionOf(userId)
      testSessionId = await sessionOf(testUserId, t.organization.testKey)
      const foreignSessionId = await sessionOf(foreignUserId, other.key)
      const endpointOf = async (key: string): Promise<string> => {
        const url = 'http://127.0.0.1:9/'
        return (await t.call('POST', '/api/v1/webhook-endpoints', { key, body: { url } })).body.id
      }
      endpointId = await endpointOf(t.organization.key)
      testEndpointId = await endpointOf(t.organization.testKey)
      const foreignEndpointId = await endpointOf(other.key)
      const ruleOf = async (key: string): Promise<string> => {
        const rule = { name: 'Never', effect: 'deny', tools: ['*'], when: 'false' }
        return (await t.call('POST', '/api/v1/policy-rules', { key, body: rule })).body.id
      }
      const [ruleId, foreignRuleId] = [await ruleOf(t.organization.key), await ruleOf(other.key)]
      const keyId = keys.body.data.find(({ mode }: { mode: string }) => mode === 'test').id
      const foreignKeyId = foreignKeys.body.data.find(({ mode }: { mode: string }) => mode === 'test').id
      return Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
        ([pattern, operations]) =>
          Object.entries(operations).map(([method, operation]) => {
            const [id, foreignId] = pattern.includes('/api-keys/')
              ? [keyId, foreignKeyId]
              : pattern.includes('/link-sessions/')
                ? [sessionId, foreignSessionId]
                : pattern.includes('/tool-packs/')
                  ? [t.organization.toolPackId, other.toolPackId]
                  : pattern.includes('/policy-rules/')
                    ? [ruleId, foreignRuleId]
                    : pattern.includes('/webhook-endpoints/')
                      ? [endpointId, foreignEndpointId]
                      : [userId, foreignUserId]
            const denied = operation.responses['403']?.description ?? ''
            return {
              method: method.toUpperCase(),
              path: fill(pattern, id),
              foreignPath: pattern.includes('{id}') ? fill(pattern, foreignId) : null,
              body: resolveReferences(
                operation.requestBody?.content['application/json'].schema ?? null,
                body.components.schemas,
              ) as Route['body'],
              productionOnly: denied.includes('production_key_required'),
              // Some keys can be created by people only; the other ones need an unrestricted key.
              isGuarded: (guardedGroups as readonly unknown[]).includes(operation['x-key-group']),
              personOnly: /person_required/.test(denied) && !/unrestricted_key_required/.test(denied),
              name: `${method.toUpperCase()} ${pattern}`,
            }
          }),
      )
    }
    const withBody = () => routes.filter(route => route.body !== null)
    const ofTestMode = (path: string): string =>
      path.replace(userId, testUserId).replace(sessionId, testSessionId).replace(endpointId, testEndpointId)
    const send = (route: Route, options: Parameters<TestService['call']>[2] = {}) =>
      t.call(route.method, route.path, options)

    const refuses = (answer: Answer, status: number, code: string | RegExp, label: string): void => {
      assert.equal(answer.status, status, `${label}: ${answer.status} ${answer.text}`)
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_[0-9A-Za-z]{16}$/, label)
      assert.ok(Value.Check(ErrorBody, answer.body), `${label}: ${answer.text}`)
      const { error } = answer.body
      if (typeof code === 'string') assert.equal(error.code, code, label)
      else assert.match(error.code, code, label)
      assert.equal(error.request_id, answer.headers.get('x-request-id'), label)
      assert.equal(error.documentation_url, `${t.baseUrl}/docs/errors#${error.code}`)
      assert.equal(answer.headers.get('cache-control'), 'no-store', label)
    }

    /** The content of every table, to show that a rejected request changed nothing but the last use of its key. */
    const databaseState = async (excluded: string[]): Promise<string> => {
      const tables = await t.query<{ name: string }>(
        `select tablename as name from pg_tables where schemaname = 'public' and tablename <> all($1) order by 1`,
        [excluded],
      )
      const parts: string[] = []
      for (const { name } of tables) {
        const [row] = await t.query<{ all: string | null }>(
          `select string_agg(row, '' order by row) as all from (select md5((to_jsonb(x) - 'last_used_at')::text) as row from ${name} x) x`,
        )
        parts.push(`${name}: ${row?.all ?? 'empty'}`)
      }
      return parts.join('\n')
    }
    const assertUnchanged = async (work: () => Promise<unknown>, excluded: string[] = []): Promise<void> => {
      const earlier = await databaseState(excluded)
      await work()
      assert.equal(await databaseState(excluded), earlier)
    }
    const everyRoute =
      (list: () => Route[], check: (route: Route) => Promise<void>, excluded?: string[]) => () =>
        assertUnchanged(async () => {
          for (const route of list()) await check(route)
        }, excluded)

    it('the test covers every documented route', () => {
      assert.ok(routes.length >= 16, `${routes.length}`)
      assert.ok(withBody().length >= 7)
      assert.ok(routes.some(route => route.productionOnly))
    })

    describe('routes for people', () => {
      it(
        'no key is accepted, whatever else the request contains',
        everyRoute(
          () => peopleRoutes,
          async route => {
            for (const key of [t.organization.key, t.organization.testKey])
              refuses(await send(route, { key, ...valid(route) }), 403, 'person_required', route.name)
          },
          // Denied attempts are recorded.
          ['audit_entries', 'audit_heads'],
        ),
      )

      it('a person: invalid IDs return 404, and invalid bodies 400 with the name of the field', async () => {
        const admin = await signInPerson(t, { role: 'admin' })
        assert.ok(peopleRoutes.length >= 4)
        await assertUnchanged(async () => {
          for (const route of peopleRoutes) {
            if (route.foreignPath !== null)
              for (const id of ['x', NIL_UUID, newUuid()]) {
                const path = route.path.replace(userId, id)
                refuses(await admin.call(route.method, path, valid(route)), 404, /_not_found$/, route.name)
              }
            if (route.body === null) continue
            const body = { ...validBody(route.body), nothing_like_this: 1 }
            const answer = await admin.call(route.method, route.path, { body })
            refuses(answer, 400, 'unknown_field', route.name)
            assert.equal(answer.body.error.param, 'nothing_like_this')
          }
        })
      })
    })

    describe('keys', () => {
      it(
        'missing or not sent as Bearer: missing_api_key on every route',
        everyRoute(
          () => routes,
          async route => {
            const headers = [
              '',
              'Bearer',
              'Bearer ',
              `Basic ${t.organization.key}`,
              t.organization.key,
              `Bearer a b`,
            ]
            for (const authorization of chosen([undefined, ...headers])) {
              const answer = await send(route, {
                key: null,
                ...valid(route),
                ...(authorization !== undefined && { headers: { authorization } }),
              })
              refuses(answer, 401, 'missing_api_key', `${route.name} with "${authorization}"`)
              assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
            }
          },
        ),
      )

      it(
        'malformed, mistyped, unknown or of another kind: invalid_api_key on every route',
        everyRoute(
          () => routes,
          async route => {
            const { key } = t.organization
            const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
            const keys = [
              'x',
              'null',
              'undefined',
              mistyped,
              key.slice(0, -1),
              `${key}a`,
              key.toLowerCase(),
              `${key}%00`,
            ]
            const unknown = [
              issueToken('productionKey', ORGANIZATION),
              issueToken('testKey', ORGANIZATION),
              issueToken('linkToken', ORGANIZATION),
            ]
            for (const wrong of chosen([...keys, ...unknown])) {
              const answer = await send(route, { key: wrong, ...valid(route) })
              refuses(answer, 401, 'invalid_api_key', `${route.name} with ${wrong}`)
              assert.ok(
                !answer.text.includes(wrong) || wrong.length < 12,
                'the key is not repeated in the error',
              )
            }
          },
        ),
      )

      it(
        'MCP keys, valid or not, have their own errors on every route',
        everyRoute(
          () => routes,
          async route => {
            const answer = await send(route, { key: issueToken('mcpKey', ORGANIZATION), ...valid(route) })
            refuses(answer, 401, 'mcp_key_not_accepted', route.name)
          },
        ),
      )

      it('revoked: invalid_api_key on every route', async () => {
        const created = await t.call('POST', '/api/v1/api-keys', { body: {} })
        await t.call('DELETE', `/api/v1/api-keys/${created.body.id}`)
        await everyRoute(
          () => routes,
          async route =>
            refuses(await send(route, { key: created.body.key }), 401, 'invalid_api_key', route.name),
        )()
      })

      it(
        'test keys are rejected on routes that require the production key',
        everyRoute(
          () => routes.filter(route => route.productionOnly),
          async route => {
            const answer = await send(route, { key: t.organization.testKey, ...valid(route) })
            refuses(answer, 403, 'production_key_required', route.name)
          },
          // The denied request of a valid key is recorded in these tables.
          ['audit_entries', 'audit_heads'],
        ),
      )

      it('test keys are accepted on every other route', async () => {
        for (const route of readable().filter(({ productionOnly }) => !productionOnly)) {
          const path = ofTestMode(route.path)
          assert.equal((await t.call('GET', path, { key: t.organization.testKey })).status, 200, route.name)
        }
      })

      it('are checked before the body is read', async () => {
        for (const route of withBody())
          refuses(await send(route, { key: null, raw: '{"broken' }), 401, 'missing_api_key', route.name)
      })
    })

    describe('IDs', () => {
      const withId = () => routes.filter(({ foreignPath }) => foreignPath !== null)
      const known =
        /^(registered_user|api_key|link_session|tool_pack|policy_rule|webhook_endpoint|webhook_delivery|approval|approval_grant|member)_not_found$/

      it(
        'that are not UUIDs return 404',
        everyRoute(withId, async route => {
          const wrong = [
            'x',
            '0',
            '-1',
            'null',
            '..%2f..',
            '%00',
            '%27',
            "'--",
            '%20',
            '%F0%9F%94%91',
            `${newUuid()}0`,
            '__proto__',
            'a'.repeat(250),
          ]
          for (const id of chosen(wrong)) {
            const path = route.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, id)
            const answer = await t.call(route.method, path, valid(route))
            refuses(answer, 404, known, `${route.method} ${path}`)
          }
        }),
      )

      it(
        'that are very long return 404',
        everyRoute(withId, async route => {
          const path = route.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'a'.repeat(4000))
          refuses(await t.call(route.method, path, valid(route)), 404, /not_found$/, route.name)
        }),
      )

      it(
        'that are unknown or belong to another organization return 404',
        everyRoute(withId, async route => {
          const unknown = route.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, newUuid())
          for (const path of [unknown, route.foreignPath as string])
            refuses(await t.call(route.method, path, valid(route)), 404, known, `${route.method} ${path}`)
        }),
      )

      it(
        'of the other mode return 404, in both directions',
        everyRoute(
          // Both modes share Tool Packs and policies.
          () =>
            withId().filter(
              ({ productionOnly, path }) => !productionOnly && !/\/(?:tool-packs|policy-rules)\//.test(path),
            ),
          async route => {
            const { body } = valid(route)
            refuses(await send(route, { key: t.organization.testKey, body }), 404, known, route.name)
            refuses(await t.call(route.method, ofTestMode(route.path), { body }), 404, known, route.name)
          },
        ),
      )

      it('that return 404 are not stored with an Idempotency-Key as IDs of users', async () => {
        for (const id of ['not-a-uuid', '%00', newUuid()]) {
          const headers = { 'idempotency-key': `bad id ${id}` }
          const path = `/api/v1/registered-users/${id}/link-token`
          const first = await t.call('POST', path, { body: {}, headers })
          refuses(first, 404, 'registered_user_not_found', id)
          const again = await t.call('POST', path, { body: {}, headers })
          assert.deepEqual([again.status, again.text], [404, first.text])
        }
      })
    })

    describe('bodies', () => {
      it(
        'that are not JSON: invalid_json',
        everyRoute(withBody, async route => {
          for (const raw of chosen([
            '{',
            '{"a":1',
            'a=1',
            "{'a':1}",
            '{"a":1}}',
            '[',
            '"',
            '{a:1}',
            '\u0000',
            '{"a":undefined}',
          ]))
            refuses(await send(route, { raw }), 400, 'invalid_json', `${route.name}: ${raw}`)
        }),
      )

      it(
        'that are JSON but not an object are rejected',
        everyRoute(withBody, async route => {
          for (const raw of chosen(['[]', '[{}]', '"text"', '""', '0', '42', 'true', 'false', '[null]']))
            refuses(await send(route, { raw }), 400, /^invalid_(request|json)$/, `${route.name}: ${raw}`)
        }),
      )

      it(
        'with an unknown field are rejected with its name',
        everyRoute(withBody, async route => {
          for (const name of chosen([
            'unknown',
            'Code',
            'state ',
            'organization_id',
            'is_test',
            'a.b',
            'toString',
            'é',
          ])) {
            const answer = await send(route, { body: { ...validBody(route.body), [name]: 'x' } })
            refuses(answer, 400, 'unknown_field', `${route.name}: ${name}`)
            assert.equal(answer.body.error.param, name)
            assert.ok(answer.body.error.message.includes(`"${name}"`))
          }
        }),
      )

      it(
        'without a required field are rejected with its name',
        everyRoute(withBody, async route => {
          for (const name of route.body?.required ?? [])
            for (const missing of [undefined, null]) {
              const answer = await send(route, { body: { ...validBody(route.body), [name]: missing } })
              refuses(answer, 400, 'invalid_request', `${route.name} without ${name}`)
              assert.equal(answer.body.error.param, name)
            }
        }),
      )

      it(
        'with a value of the wrong type are rejected with the name of its field',
        everyRoute(withBody, async route => {
          for (const [name, schema] of fieldsOf(route)) {
            if (ANYTHING.has(name)) continue
            const wrong: unknown[] = [
              ...(schema.type === 'array'
                ? [[1], ...(RESOURCE_NAME_FIELDS.has(name) ? [] : [['Not a slug']])]
                : [[], ['x']]),
              ...(schema.type === 'object' ? ['x', 1, true] : [{}, { a: 1 }]),
            ]
            if (schema.type !== 'string' && !schema.enum) wrong.push('x', '1', 'true')
            if (schema.type !== 'integer') wrong.push(0, 1, 1.5)
            if (schema.type === 'integer') wrong.push(1.5, -1, 1e300, ...(schema.minimum === 0 ? [] : [0]))
            if (schema.type !== 'boolean') wrong.push(true, false)
            for (const value of chosen(wrong)) {
              const answer = await send(route, { body: { ...validBody(route.body), [name]: value } })
              refuses(answer, 400, 'invalid_request', `${route.name}: ${name} = ${JSON.stringify(value)}`)
              assert.equal(answer.body.error.param?.split('.')[0], name)
            }
          }
        }),
      )

      it(
        'with a text that is too long are rejected with the name of its field',
        everyRoute(withBody, async route => {
          for (const name of textFields(route)) {
            const maxLength = Object.fromEntries(fieldsOf(route))[name]?.maxLength
            if (maxLength === undefined) continue
            const answer = await send(route, {
              body: { ...validBody(route.body), [name]: 'x'.repeat(maxLength + 1) },
            })
            refuses(answer, 400, 'invalid_request', `${route.name}: ${name}`)
            assert.equal(answer.body.error.param, name)
          }
        }),
      )

      it(
        'with NUL or a lone surrogate in a text are rejected with the name of its field',
        everyRoute(withBody, async route => {
          for (const name of textFields(route))
            for (const text of chosen(['\\u0000', 'a\\u0000b', '\\ud800', 'x\\udc00', '\\ude00\\ud83d'])) {
              const raw = JSON.stringify({ ...validBody(route.body), [name]: '@' })
              const answer = await send(route, { raw: raw.replace('"@"', `"${text}"`) })
              // A malformed code is an invalid one.
              const isCode = route.path.endsWith('/link-token/confirm') && name === 'code'
              const code = isCode ? 'invalid_authorization_code' : 'invalid_request'
              refuses(answer, 400, code, `${route.name}: ${name} = ${text}`)
              if (!isCode) assert.equal(answer.body.error.param, name)
            }
        }),
      )

      it(
        'that set a prototype are rejected and change none',
        everyRoute(withBody, async route => {
          for (const raw of chosen([
            '{"__proto__":{"polluted":1}}',
            '{"__proto__":null}',
            '{"constructor":{"prototype":{"polluted":1}}}',
            '{"metadata":{"__proto__":{"polluted":1}}}',
            '{"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":1}}',
          ]))
            refuses(
              await send(route, { raw }),
              400,
              /^(invalid_request|unknown_field)$/,
              `${route.name}: ${raw}`,
            )
          assert.equal(({} as { polluted?: number }).polluted, undefined)
        }),
      )

      it(
        'that are too large return 413, with and without Content-Length',
        everyRoute(withBody, async route => {
          const kilobytes = route.path.endsWith(LARGE_BODY_ROUTE) ? 1200 : 300
          const huge = JSON.stringify({ ...validBody(route.body), unknown: 'x'.repeat(kilobytes * 1024) })
          refuses(await send(route, { raw: huge }), 413, 'body_too_large', route.name)
          const chunked = await sendRaw(route.method, route.path, { body: huge, chunked: true })
          assert.equal(chunked.status, 413, route.name)
          assert.match(String(chunked.headers['x-request-id']), /^req_/)
        }),
      )

      it(
        'that are nested too deeply are rejected',
        everyRoute(withBody, async route => {
          const field = fieldsOf(route).find(([, { type }]) => type === 'object')?.[0] ?? 'unknown'
          const required = JSON.stringify(validBody(route.body)).slice(1, -1)
          for (const depth of chosen([6000, 20_000, 100_000])) {
            const deep = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
            const raw = `{${required}${required && ','}"${field}":${deep}}`
            const label = `${route.name}, ${depth} deep`
            const answer = await send(route, { raw })
            if (depth > jsonLimits.items) refuses(answer, 413, 'body_too_large', label)
            else refuses(answer, 400, /^(invalid_request|unknown_field|invalid_json)$/, label)
          }
        }),
      )

      it(
        'of another content type return 415',
        everyRoute(withBody, async route => {
          for (const type of chosen([
            'text/plain',
            'application/x-www-form-urlencoded',
            'application/xml',
            'multipart/form-data; boundary=x',
            'text/json',
            'x',
          ])) {
            const answer = await send(route, {
              raw: JSON.stringify(validBody(route.body)),
              headers: { 'content-type': type },
            })
            refuses(answer, 415, 'unsupported_media_type', `${route.name}: ${type}`)
          }
          const untyped = await sendRaw(route.method, route.path, { body: '{"x":1}' })
          assert.equal(untyped.status, 415, `${route.name} without a type`)
        }),
      )
    })

    describe('URLs', () => {
      /** `GET /policy-rules/test` is the request for a rule with the ID "test". */
      const allowed = (path: string): string[] =>
        METHODS.filter(method =>
          allRoutes.some(({ name }) =>
            new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`).test(`${method} ${path}`),
          ),
        )

      /** `GET /policy-rules/test` asks for the rule with the ID `test`. */
      const isOfId = (path: string, method: string): boolean =>
        allRoutes.some(route => {
          const [, pattern = ''] = route.name.split(' ')
          return (
            route.path !== path &&
            route.method === method &&
            new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
          )
        })

      it('return 405 with Allow for other methods', async () => {
        await assertUnchanged(async () => {
          for (const path of new Set(routes.map(route => route.path)))
            for (const method of METHODS.filter(each => !allowed(path).includes(each) && !isOfId(path, each)))
              for (const key of [t.organization.key, null]) {
                const answer = await t.call(method, path, { key })
                refuses(answer, 405, 'method_not_allowed', `${method} ${path}`)
                const allow = (answer.headers.get('allow') ?? '').split(', ')
                assert.deepEqual(allow.filter(each => each !== 'HEAD').toSorted(), allowed(path).toSorted())
              }
        })
      })

      it('respond equally under both prefixes and with a trailing slash, and never redirect', async () => {
        for (const { path, method } of readable()) {
          const bare = path.replace('/api/v1/', '/api/')
          const answers = await Promise.all(
            [path, `${path}/`, bare, `${bare}/`].map(each => t.call(method, each)),
          )
          for (const answer of answers) {
            assert.equal(answer.status, 200, path)
            assert.deepEqual(answer.body, answers[0]?.body, path)
          }
        }
        for (const route of withBody()) {
          const bare = route.path.replace('/api/v1/', '/api/')
          for (const path of [route.path, `${route.path}/`, bare, `${bare}/`])
            refuses(
              await t.call(route.method, path, { body: { unknown: 1 } }),
              400,
              /./,
              `${route.method} ${path}`,
            )
        }
      })

      it('serve the API document under both prefixes', async () => {
        for (const path of ['/api/v1/openapi.json', '/api/openapi.json', '/api/v1/openapi.json/'])
          assert.equal((await t.call('GET', path, { key: null })).status, 200, path)
      })

      it('that are unknown return 404, with or without a key', async () => {
        for (const path of [
          '/api',
          '/api/',
          '/api/v1',
          '/api/v1/none',
          '/api/v2/organization',
          '/api/v1/v1/organization',
          '/API/v1/organization',
          '/api/v1/organization/x',
        ])
          for (const key of [t.organization.key, null])
            for (const method of ['GET', 'POST'])
              refuses(await t.call(method, path, { key }), 404, 'not_found', `${method} ${path}`)
      })

      it('that cannot be decoded are rejected with a request ID', async () => {
        for (const path of ['/api/v1/registered-users/%zz', '/%', '/api/v1/%c3%28', '/connect/%e0%a4%a'])
          for (const method of ['GET', 'POST']) {
            const answer = await sendRaw(method, path)
            assert.equal(answer.status, 400, path)
            assert.equal(JSON.parse(answer.text).error.code, 'invalid_request')
            assert.match(String(answer.headers['x-request-id']), /^req_/, path)
            assert.equal(answer.headers['x-request-id'], JSON.parse(answer.text).error.request_id)
            assert.equal(answer.headers['cache-control'], 'no-store')
          }
      })

      it('malformed HTTP returns a 4xx status without a stack', async () => {
        const lines = [
          'GET /api/v1/organization HTTP/1.1\r\n\r\n',
          'GET  HTTP/1.1\r\nhost: x\r\n\r\n',
          'BREW / HTTP/1.1\r\nhost: x\r\n\r\n',
          `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
          `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`,
          'POST /api/v1/registered-users HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
          'POST /api/v1/registered-users HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
          '\u0000\u0000\u0000\u0000',
        ]
        for (const text of lines) {
          const received = await sendBytes(text)
          assert.match(received, /^HTTP\/1\.1 4\d\d /, JSON.stringify(text.slice(0, 40)))
          assert.doesNotMatch(received, /\bat \/|node:internal|\.ts:/)
        }
        assert.equal((await t.call('GET', '/livez', { key: null })).status, 200)
      })
    })

    describe('queries', () => {
      it('invalid queries of a list are rejected with the name of the parameter', async () => {
        const cases: [query: string, param: string][] = [
          ['limit=0', 'limit'],
          ['limit=101', 'limit'],
          ['limit=-1', 'limit'],
          ['limit=abc', 'limit'],
          ['limit=1.5', 'limit'],
          ['limit=', 'limit'],
          ['limit=1&limit=2', 'limit'],
          ['cursor=x', 'cursor'],
          ['cursor=', 'cursor'],
          ['cursor=a&cursor=b', 'cursor'],
          [`cursor=${'a'.repeat(300)}`, 'cursor'],
          ['origin_user_id=%00', 'origin_user_id'],
          [`origin_user_id=${'a'.repeat(300)}`, 'origin_user_id'],
          ['unknown=1', 'unknown'],
          ['Limit=1', 'Limit'],
        ]
        for (const [query, param] of cases) {
          const answer = await t.call('GET', `/api/v1/registered-users?${query}`)
          refuses(answer, 400, /^(invalid_request|invalid_cursor|unknown_field)$/, query)
          assert.equal(answer.body.error.param, param, query)
        }
      })
    })

    describe('a link token', () => {
      const mint = (body: unknown, { user = userId, key = t.organization.key } = {}) =>
        t.call('POST', `/api/registered-users/${user}/link-token`, { key, body })
      const callback_url = 'https://app.example.com/done'
      const state = 's'

      it('is not minted for conflicting connector names', async () => {
        await assertUnchanged(async () => {
          for (const [body, param] of [
            [{ Connector: 'sandbox-notes', connector_slug: 'sandbox-vault' }, 'connector_slug'],
            [{ Connector: 'sandbox-notes', connector: 'sandbox-vault' }, 'connector'],
            [{ connector_slug: 'sandbox-notes', connector: 'sandbox-vault' }, 'connector'],
            [
              { Connector: 'sandbox-notes', connector_slug: 'sandbox-notes', connector: 'Sandbox-Notes' },
              'connector',
            ],
            [{ Connector: 'sandbox-notes', connector_slug: '' }, 'connector_slug'],
          ] as const) {
            const refused = await mint(body)
            refuses(refused, 400, 'conflicting_connector', JSON.stringify(body))
            assert.equal(refused.body.error.param, param)
          }
        })
      })

      it('is not minted with a state of more than 1,024 bytes', async () => {
        await assertUnchanged(async () => {
          const refused = await mint({ callback_url, state: '🧗'.repeat(257) })
          refuses(refused, 400, 'invalid_request', 'emoji')
          assert.deepEqual(
            [refused.body.error.param, refused.body.error.message],
            ['state', '"state" must be at most 1024 bytes long.'],
          )
        })
      })

      it('is minted for equal connector names and nulls', async () => {
        for (const body of [
          { Connector: 'sandbox-notes', connector_slug: 'sandbox-notes', connector: 'sandbox-notes' },
          { Connector: 'sandbox-notes', connector_slug: 'sandbox-notes' },
          {
            Connector: 'sandbox-notes',
            connector_slug: null,
            state: null,
            callback_url: null,
            tool_pack_id: null,
          },
        ])
          assert.equal((await mint(body)).status, 201, JSON.stringify(body))
      })

      it('is the same for no body, an empty one, {} and only nulls', async () => {
        const path = `/api/registered-users/${userId}/link-token`
        const nulls = {
          Connector: null,
          connector_slug: null,
          connector: null,
          tool_pack_id: null,
          callback_url: null,
          state: null,
        }
        const answers = [
          await t.call('POST', path),
          await t.call('POST', path, { raw: '' }),
          await t.call('POST', path, { body: {} }),
          await t.call('POST', path, { body: nulls }),
        ]
        for (const answer of answers) {
          assert.equal(answer.status, 201, answer.text)
          assert.deepEqual(Object.keys(answer.body).toSorted(), [
            'expires_at',
            'link_token',
            'magic_link_url',
          ])
        }
        const rows = await t.query(
          `select distinct locked_connector, callback_url, state, tool_pack_id from link_sessions where registered_user_id = $1
         order by 1 nulls first limit 1`,
          [userId],
        )
        assert.deepEqual(rows, [
          {
            locked_connector: null,
            callback_url: null,
            state: null,
            tool_pack_id: t.organization.toolPackId,
          },
        ])
      })

      it('is not minted for an unknown connector, in any spelling', async () => {
        await assertUnchanged(async () => {
          for (const slug of [
            '',
            ' ',
            'none',
            'Sandbox-Notes',
            'sandbox_notes',
            'sandbox-notes ',
            '../sandbox-notes',
            '__proto__',
            'constructor',
            'sandbox-notes.json',
          ])
            for (const name of ['Connector', 'connector_slug', 'connector'])
              refuses(await mint({ [name]: slug }), 400, 'unknown_connector', `${name}: "${slug}"`)
        })
      })

      it('is not minted for a state without callback_url, nor for an empty one', async () => {
        await assertUnchanged(async () => {
          const alone = await mint({ state })
          refuses(alone, 400, 'state_without_callback_url', 'alone')
          assert.equal(alone.body.error.param, 'state')
          refuses(await mint({ state, callback_url: null }), 400, 'state_without_callback_url', 'with null')
          const empty = await mint({ state: '', callback_url })
          refuses(empty, 400, 'invalid_request', 'empty')
          assert.equal(empty.body.error.param, 'state')
          refuses(await mint({ state, callback_url: '' }), 400, 'invalid_request', 'empty callback_url')
        })
      })

      it('is not minted for an origin that does not match the list exactly', async () => {
        await assertUnchanged(async () => {
          for (const url of [
            'https://other.example.com/done',
            'https://example.com/',
            'https://app.example.com:8443/',
            'https://sub.app.example.com/',
            'https://app.example.com.evil.com/',
            'http://localhost:3000/',
            'http://app.example.com/',
            'myapp://done',
          ]) {
            const answer = await mint({ callback_url: url, state })
            refuses(answer, 400, 'unauthorized_origin', url)
            assert.equal(answer.body.error.param, 'callback_url')
          }
          for (const url of [
            'x',
            '/done',
            'javascript:alert(1)',
            'data:text/html,x',
            'https://',
            'https://user@app.example.com/',
            'https://app.example.com\\@evil.com/',
            ' https://app.example.com/',
            'https://app.example.com./',
            'blob:https://app.example.com/x',
          ])
            refuses(
              await mint({ callback_url: url }),
              400,
              /^(invalid_callback_url|unauthorized_origin)$/,
              url,
            )
          for (const name of ['state', 'code', 'status', 'STATE', '%73tate', '%2573tate', 'state[]'])
            refuses(
              await mint({ callback_url: `${callback_url}?${name}=1` }),
              400,
              'reserved_callback_parameter',
              name,
            )
        })
      })

      it('is not minted with an origin listed by another organization', async () => {
        await assertUnchanged(async () => {
          const answer = await mint({ callback_url }, { user: foreignUserId, key: other.key })
          refuses(answer, 400, 'unauthorized_origin', 'other organization')
        })
      })

      it('is not minted for a connector outside the Tool Pack', async () => {
        const pack = newUuid()
        await t.query(
          `insert into tool_packs (organization_id, id, name, connectors) values ($1, $2, 'Small', '{sandbox-vault}')`,
          [t.organization.id, pack],
        )
        await assertUnchanged(async () => {
          for (const name of ['Connector', 'connector_slug', 'connector']) {
            const answer = await mint({ [name]: 'sandbox-notes', tool_pack_id: pack })
            refuses(answer, 400, 'connector_not_in_tool_pack', name)
            assert.equal(answer.body.error.param, name)
            const unknown = await mint({ [name]: 'no-such' })
            assert.deepEqual([unknown.status, unknown.body.error.param], [400, name])
          }
        })
        assert.equal((await mint({ Connector: 'sandbox-vault', tool_pack_id: pack })).status, 201)
        assert.equal((await mint({ tool_pack_id: pack.toUpperCase() })).status, 201)
      })

      it('is not minted for a Tool Pack that is foreign, unknown or has an invalid ID', async () => {
        await assertUnchanged(async () => {
          for (const tool_pack_id of [
            other.toolPackId,
            newUuid(),
            'x',
            '',
            '__proto__',
            `${t.organization.toolPackId} `,
          ]) {
            const answer = await mint({ tool_pack_id })
            refuses(answer, 404, 'tool_pack_not_found', tool_pack_id)
            assert.equal(answer.body.error.param, 'tool_pack_id')
          }
        })
      })

      it('is not minted for an inactive or deleted user', async () => {
        const inactive = await t.createUser()
        const deleted = await t.createUser()
        await t.call('PATCH', `/api/v1/registered-users/${inactive.id}`, { body: { is_active: false } })
        await t.call('DELETE', `/api/v1/registered-users/${deleted.id}`)
        await assertUnchanged(async () => {
          refuses(await mint({}, { user: inactive.id }), 409, 'user_inactive', 'inactive')
          refuses(await mint({}, { user: deleted.id }), 404, 'registered_user_not_found', 'deleted')
        })
      })

      it('is not minted without code mode if the organization requires it', async () => {
        const strict = await t.createOrganization('Strict')
        await t.allowOrigin('https://strict.example.com', strict.key)
        const user = await t.createUser({}, strict.key)
        await t.call('PATCH', '/api/v1/organization', {
          key: strict.key,
          body: { link_binding: 'code_only' },
        })
        await assertUnchanged(async () => {
          for (const body of [{}, { callback_url: 'https://strict.example.com/x' }])
            refuses(
              await mint(body, { user: user.id, key: strict.key }),
              400,
              'code_mode_required',
              JSON.stringify(body),
            )
        })
      })
    })

    describe('confirm', () => {
      const confirm = (body: unknown, key = t.organization.key) =>
        t.call('POST', '/api/v1/link-token/confirm/', { key, body })

      it('without a code, or with one of the wrong type, is invalid_request', async () => {
        await assertUnchanged(async () => {
          for (const code of [undefined, null, 1, true, [], {}, ['x']]) {
            const answer = await confirm({ code })
            refuses(answer, 400, 'invalid_request', JSON.stringify(code))
            assert.equal(answer.body.error.param, 'code')
          }
        })
      })

      it('with a malformed, mistyped, unknown or foreign code is invalid_authorization_code', async () => {
        const { link_token, magic_link_url } = await t.mint(userId)
        const real = issueToken('authorizationCode', ORGANIZATION)
        await assertUnchanged(async () => {
          for (const code of [
            'x',
            ' ',
            real,
            real.slice(0, -1),
            `${real} `,
            real.toUpperCase(),
            link_token,
            magic_link_url,
            t.organization.key,
            "' or 1=1 --",
          ]) {
            const answer = await confirm({ code })
            refuses(answer, 400, /^invalid_(authorization_code|request)$/, code)
            assert.equal(answer.body.error.param, 'code')
          }
        })
      })

      it('with another error in the request does not use the code', async () => {
        const user = await t.createUser()
        const { magic_link_url } = await t.mint(user.id, {
          Connector: 'sandbox-notes',
          callback_url: 'https://app.example.com/done',
          state: 'x',
        })
        const browser = createBrowserUser()
        await linkNotes(browser, magic_link_url)
        const code = new URL(browser.lastLocation as string).searchParams.get('code') as string
        await assertUnchanged(async () => {
          refuses(await confirm({ code, Code: code }), 400, 'unknown_field', 'unknown field')
          refuses(await confirm({ code, registered_user_id: 1 }), 400, 'invalid_request', 'wrong type')
          refuses(
            await confirm({ code }, issueToken('productionKey', ORGANIZATION)),
            401,
            'invalid_api_key',
            'unknown key',
          )
          refuses(
            await confirm({ code }, t.organization.testKey),
            400,
            'invalid_authorization_code',
            'other mode',
          )
          refuses(await confirm({ code: code.slice(0, -1) }), 400, 'invalid_authorization_code', 'truncated')
          refuses(
            await t.call('GET', `/api/v1/link-token/confirm?code=${code}`),
            405,
            'method_not_allowed',
            'GET',
          )
        })
        assert.equal((await confirm({ code })).status, 200)
      })
    })

    /** Plain HTTP, because fetch would add headers or correct the request. */
    const sendRaw = (
      method: string,
      path: string,
      { body, chunked = false }: { body?: string; chunked?: boolean } = {},
    ): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(t.baseUrl)
        const headers: Record<string, string> = { authorization: `Bearer ${t.organization.key}` }
        if (chunked)
          Object.assign(headers, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
        if (body !== undefined && !chunked) headers['content-length'] = String(Buffer.byteLength(body))
        const outgoing = httpRequest({ hostname, port, method, path, headers, agent: false }, incoming => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          )
          incoming.on('error', reject)
        })
        outgoing.on('error', reject)
        outgoing.end(body)
      })

    const sendBytes = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(t.baseUrl)
        let received = ''
        const socket = connect(Number(port), hostname, () => socket.write(text))
        socket.setTimeout(3000, () => socket.destroy())
        socket.on('data', chunk => {
          received += chunk.toString()
          if (received.includes('\r\n\r\n')) socket.end()
        })
        socket.on('close', () => resolve(received))
        socket.on('error', error => (received ? resolve(received) : reject(error)))
      })
  })

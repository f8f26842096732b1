import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectorTool } from '@carabiner/contract'
import { loadCatalog } from '../catalog.ts'
import { roleProblems } from './role-rules.ts'

const withArguments = (
  properties: Record<string, unknown>,
  roles?: ConnectorTool['roles'],
  { isReadOnly = false } = {},
): ConnectorTool => ({
  name: 'send_thing',
  title: 'Send a thing',
  description: 'Sends a thing.',
  input_schema: { type: 'object', properties, additionalProperties: false },
  scopes: [],
  request: { method: 'POST', url: 'https://api.example.com/things', body: {} },
  read_only: isReadOnly,
  ...(!isReadOnly && { effects: [] }),
  ...(roles && { roles }),
})
const problemsOf = (...of: Parameters<typeof withArguments>): string[] =>
  roleProblems(withArguments(...of), []).map(({ reason }) => reason)

const text = { type: 'string' }

test('roles: every argument of a tool that writes is listed, if need be with none', () => {
  const properties = { to: text, bcc: { type: 'array', items: text }, count: { type: 'integer' } }
  assert.deepEqual(problemsOf(properties), [
    'must contain to, bcc, count, because the tool writes; none for an argument without a role',
  ])
  assert.equal(problemsOf(properties, { to: 'recipient', count: 'none' }).length, 1)
  assert.deepEqual(problemsOf(properties, { to: 'recipient', bcc: 'recipient', count: 'none' }), [])
  assert.deepEqual(problemsOf(properties, undefined, { isReadOnly: true }), [], 'reads need no roles')
})

test('roles: booleans and enumerations may be left out, also as items of a list', () => {
  const plain = {
    now: { type: 'boolean' },
    kind: { type: 'string', enum: ['a', 'b'] },
    kinds: { type: 'array', items: { enum: ['a', 'b'] } },
    fixed: { const: 'a' },
  }
  assert.deepEqual(problemsOf(plain), [])
  assert.deepEqual(problemsOf(plain, { kind: 'recipient' }), [])
  assert.equal(problemsOf({ any: { type: 'array' } }).length, 1)
})

test('roles: a name that is not an argument is rejected, also for reads', () => {
  assert.deepEqual(problemsOf({}, { to: 'recipient' }, { isReadOnly: true }), [
    'is not an argument of the tool',
  ])
  assert.deepEqual(problemsOf({}, JSON.parse('{"constructor":"text"}'), { isReadOnly: true }), [
    'is not an argument of the tool',
  ])
})

const shipped = loadCatalog({ sandbox_url: 'http://localhost:4001' })
  .all()
  .flatMap(({ slug, tools }) =>
    tools.flatMap(({ name, roles = {} }) =>
      Object.entries(roles).map(([argument, role]) => ({
        at: `${slug}__${name} ${argument}`,
        argument,
        role,
      })),
    ),
  )

test('shipped tools: each tool that writes states the roles of its arguments', () => {
  const every = loadCatalog({ sandbox_url: 'http://localhost:4001' })
    .all()
    .flatMap(({ slug, tools }) => tools.map(tool => ({ ...tool, name: `${slug}__${tool.name}` })))
  const writing = every.filter(tool => !tool.read_only)
  assert.ok(writing.length >= 200, `${writing.length} tools that write`)
  assert.deepEqual(
    writing.filter(tool => roleProblems(tool, []).length > 0).map(({ name }) => name),
    [],
  )
})

test('shipped tools: arguments that name addressees are recipients, and IDs are no text', () => {
  assert.ok(shipped.length >= 700, `${shipped.length} arguments with roles`)
  const wrong = shipped.filter(
    ({ argument, role }) =>
      (/^(?:to|cc|bcc|email|attendees|recipients?)$/.test(argument) && role !== 'recipient') ||
      (/(?:^|_)ids?$/.test(argument) && (role === 'text' || role === 'file')) ||
      (/(?:^|_)amount$/.test(argument) && role !== 'amount'),
  )
  assert.deepEqual(
    wrong.map(({ at }) => at),
    [],
  )
})

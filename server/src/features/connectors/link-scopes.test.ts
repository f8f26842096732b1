import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type ConnectorFile, type OAuthMethod, oauthMethod } from '@carabiner/contract'
import { missingScopes, refusedScopes, type ScopesInput, scopesToRequest } from './link-scopes.ts'

const FOLDER = new URL('../../../../connectors/', import.meta.url)
const shipped = readdirSync(FOLDER)
  .filter(name => name.endsWith('.json') && name !== 'connector.schema.json')
  .map(name => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as ConnectorFile)
const PLAIN: ScopesInput = { more: null, tools: null }

test('shipped connectors: every scope that a tool needs can be requested and is sufficient', () => {
  let checked = 0
  for (const connector of shipped) {
    const method = oauthMethod(connector)
    if (!method) continue
    const listed = method.scopes.map(({ name }) => name)
    for (const tool of connector.tools)
      for (const scope of tool.scopes.flat()) {
        const at = `${connector.slug}: ${tool.name} needs ${scope}`
        assert.ok(listed.includes(scope), `${at}, which the connector cannot request`)
        const granted = scopesToRequest(method, null, PLAIN)
        const needed = refusedScopes(connector, tool.scopes, [scope])
        const requested = scopesToRequest(method, null, {
          ...PLAIN,
          more: { reason: 'lacking', granted, names: needed },
        })
        assert.ok(requested.includes(scope), `${at}, which is not requested when the provider names it`)
        const more = missingScopes(tool.scopes, granted)
        assert.deepEqual(missingScopes(tool.scopes, [...granted, ...more]), [], at)
        checked++
      }
  }
  assert.ok(checked > 300, `${checked} scopes`)
})

test('slack: a refusal for a private channel requests the scope of private channels', () => {
  const slack = shipped.find(({ slug }) => slug === 'slack') as ConnectorFile
  const tool = slack.tools.find(({ name }) => name === 'read_messages') as ConnectorFile['tools'][number]
  assert.deepEqual(refusedScopes(slack, tool.scopes, ['groups:history']), ['groups:history'])
  assert.equal(slack.errors?.missing_scopes, '/needed')
})

test('refusedScopes: omits unlisted alternatives and invalid names; default: the scopes of the tool', () => {
  const gmail = shipped.find(({ slug }) => slug === 'gmail') as ConnectorFile
  const readonly = 'https://www.googleapis.com/auth/gmail.readonly'
  assert.deepEqual(refusedScopes(gmail, [], ['https://mail.google.com/', readonly]), [readonly])
  assert.deepEqual(refusedScopes(gmail, [], ['unlisted']), ['unlisted'])
  assert.deepEqual(refusedScopes(gmail, [[readonly, 'x']], ['not"a scope']), [readonly])
})

const NOTES = {
  scopes: [
    { name: 'read', title: 'Read' },
    { name: 'write', title: 'Write', optional: true },
    { name: 'admin', title: 'Administer', optional: true },
  ],
} as OAuthMethod

test('scopesToRequest: the scopes of the chosen tools, bounded by the OAuth app; without a choice the required ones', () => {
  const requested = (tools: ScopesInput['tools'], configured: string[] | null = null) =>
    scopesToRequest(NOTES, configured, { more: null, tools })
  assert.deepEqual(requested(null), ['read'])
  assert.deepEqual(requested([]), ['read'])
  assert.deepEqual(requested([['write'], ['read']]), ['read', 'write'])
  assert.deepEqual(requested([[['admin', 'write']], ['write']]), ['read', 'write', 'admin'])
  assert.deepEqual(
    requested([['write'], [['admin', 'write']]]),
    ['read', 'write'],
    'one alternative is enough',
  )
  assert.deepEqual(requested(null, ['read', 'write', 'own']), ['read', 'write', 'own'])
  assert.deepEqual(requested([['admin']], ['read', 'write', 'own']), ['read', 'own'])
  assert.deepEqual(requested([[['admin', 'write']]], ['read', 'write']), ['read', 'write'])
})

test('scopesToRequest: scopes requested by name are added to the granted ones, or to the required ones', () => {
  const requested = (more: Partial<NonNullable<ScopesInput['more']>>, configured: string[] | null = null) =>
    scopesToRequest(NOTES, configured, {
      more: { reason: 'requested', names: ['write'], granted: [], ...more },
      tools: [['admin']],
    })
  assert.deepEqual(requested({}), ['read', 'write'])
  assert.deepEqual(requested({ granted: ['read', 'admin'] }), ['read', 'admin', 'write'])
  assert.deepEqual(requested({}, ['read', 'write', 'admin']), ['read', 'write'])
  assert.deepEqual(requested({ reason: 'called' }, ['read', 'admin']), ['read', 'admin', 'write'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { ApiKeyCreate, ApiKeyRoll } from './api-key-resources.ts'
import { AuthenticateMeta } from './authenticate-meta.ts'
import { ConnectorFile, SLUG_PATTERN } from './connector.ts'
import * as resources from './resources.ts'

const requests = {
  OrganizationPatch: resources.OrganizationPatch,
  ApiKeyCreate,
  ApiKeyRoll,
  CallbackOriginBody: resources.CallbackOriginBody,
  RegisteredUserCreate: resources.RegisteredUserCreate,
  RegisteredUserPatch: resources.RegisteredUserPatch,
  LinkTokenRequest: resources.LinkTokenRequest,
  ConfirmRequest: resources.ConfirmRequest,
}

test('request schemas: reject unknown fields', () => {
  for (const [name, schema] of Object.entries(requests))
    assert.equal((schema as { additionalProperties?: boolean }).additionalProperties, false, name)
})

test('request schemas: every string has a maximum length', () => {
  // `code` has no maximum length; the body limit applies.
  for (const [name, schema] of Object.entries(requests))
    for (const [field, property] of Object.entries(schema.properties) as [string, Record<string, unknown>][])
      if (property.type === 'string' && `${name}.${field}` !== 'ConfirmRequest.code')
        assert.ok(Number(property.maxLength) > 0, `${name}.${field}`)
})

test('Slug: accepts only lowercase words joined by single hyphens', () => {
  const slug = new RegExp(SLUG_PATTERN)
  for (const valid of ['notes', 'sandbox-notes', 'a', '0', 'a1-2b-c3']) assert.match(valid, slug)
  for (const invalid of ['', '-', 'a-', '-a', 'a--b', 'A', 'a_b', 'a b', 'a.b', 'ä', 'a\n', 'a/b'])
    assert.doesNotMatch(invalid, slug, JSON.stringify(invalid))
})

test('AuthenticateMeta: requires all fields and rejects others', () => {
  const meta = {
    type: 'authenticate_meta',
    Connector: 'sandbox-notes',
    link_token: 'x',
    expires_at: '2026-01-01T00:00:00.000Z',
    magic_link_url: 'https://example.com/magic-link/x',
    message: 'm',
    reason: 'never_linked',
  }
  assert.ok(Value.Check(AuthenticateMeta, meta))
  for (const name of Object.keys(meta))
    assert.ok(!Value.Check(AuthenticateMeta, { ...meta, [name]: undefined }), name)
  assert.ok(!Value.Check(AuthenticateMeta, { ...meta, access_token: 'x' }))
  assert.ok(!Value.Check(AuthenticateMeta, { ...meta, type: 'other' }))
})

test('ConnectorFile: rejects unknown fields and a missing credential origin', () => {
  const file = {
    slug: 'example',
    name: 'Example',
    summary: 'An example',
    categories: ['other'],
    documentation_url: 'https://example.com/docs',
    authorization: [
      {
        type: 'api_key',
        fields: [{ name: 'api_key', label: 'Key', secret: true }],
        headers: { authorization: 'Bearer {api_key}' },
      },
    ],
    identity: { url: 'https://example.com/me', account: '/email' },
    credential_origins: ['https://example.com'],
    tools: [],
  }
  assert.ok(Value.Check(ConnectorFile, file))
  assert.ok(!Value.Check(ConnectorFile, { ...file, credential_origins: [] }))
  assert.ok(!Value.Check(ConnectorFile, { ...file, credential_origins: ['javascript:alert(1)'] }))
  assert.ok(!Value.Check(ConnectorFile, { ...file, client_secret: 'x' }))
  assert.ok(!Value.Check(ConnectorFile, { ...file, slug: 'Example' }))
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { findUnusedScopes } from './find-unused-scopes.ts'

const tool = (name: string, scopes: (string | string[])[]) => ({ name, scopes })
const acme = {
  slug: 'acme',
  authorization: [
    {
      type: 'oauth2',
      scopes: ['offline', 'read', 'write', 'admin'].map(name => ({ name, title: `May ${name}` })),
    },
  ],
  tools: [
    tool('list', ['read']),
    tool('create', ['read', 'write']),
    tool('find', [['read', 'search']]),
    tool('delete', ['admin']),
  ],
} as unknown as ConnectorFile
const connectorOf = (slug: string) => (slug === 'acme' ? acme : null)

const granted = (...scopes: string[]) =>
  scopes.map(scope => ({ connectorSlug: 'acme', scope, credentials: 3 }))
const unused = (scopes: string[], called: string[]): string[] =>
  findUnusedScopes(
    granted(...scopes),
    called.map(name => ({ connectorSlug: 'acme', tool: name })),
    connectorOf,
  ).flatMap(found => found.scopes.map(({ name }) => name))

describe('unused scopes', () => {
  it('granted scopes that no called tool needs, with their tools; not those that no tool needs', () => {
    assert.deepEqual(
      findUnusedScopes(
        granted('offline', 'read', 'write'),
        [{ connectorSlug: 'acme', tool: 'list' }],
        connectorOf,
      ),
      [
        {
          connector_slug: 'acme',
          scopes: [{ name: 'write', title: 'May write', credentials: 3, tools: ['create'] }],
        },
      ],
    )
    assert.deepEqual(unused(['offline'], []), [])
  })

  it('without calls, all scopes of tools are unused; with all tools called, none is', () => {
    assert.deepEqual(unused(['read', 'write', 'admin'], []), ['read', 'write', 'admin'])
    assert.deepEqual(unused(['read', 'write', 'admin'], ['create', 'delete']), [])
  })

  it('each of alternative scopes counts as used', () => {
    assert.deepEqual(unused(['read', 'search'], ['find']), [])
  })

  it('nothing is listed after a raw request or a call of a removed tool, and for other connectors', () => {
    assert.deepEqual(unused(['admin'], ['request']), [])
    assert.deepEqual(unused(['admin'], ['list', 'removed']), [])
    const other = [{ connectorSlug: 'wiki', scope: 'read', credentials: 1 }]
    assert.deepEqual(findUnusedScopes(other, [], connectorOf), [])
    assert.deepEqual(
      findUnusedScopes(granted('admin'), [{ connectorSlug: 'wiki', tool: 'delete' }], connectorOf).length,
      1,
    )
  })
})

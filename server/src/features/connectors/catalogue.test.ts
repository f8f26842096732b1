import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oauthMethod } from '@carabiner/contract'
import { toolName } from '../tools/tool-names.ts'
import { loadCatalogue, parseConnector } from './catalogue.ts'

const catalogue = loadCatalogue({ sandbox_url: 'http://localhost:4001' })

test('every connector file is valid, named by its slug, and its tools have names that every model API takes', () => {
  const slugs = catalogue.all().map(({ slug }) => slug)
  assert.deepEqual(slugs, ['sandbox-notes', 'sandbox-vault'])
  for (const connector of catalogue.all()) {
    for (const tool of connector.tools) {
      assert.match(toolName(connector.slug, tool.name), /^[a-zA-Z0-9_-]{1,64}$/)
      assert.equal(tool.input_schema.type, 'object')
    }
  }
})

test('every address that a credential is sent to is one of the connector’s own origins', () => {
  for (const connector of catalogue.all()) {
    const origins = connector.credential_origins.map(url => new URL(url).origin)
    for (const url of [connector.identity?.url ?? '', ...connector.tools.map(tool => tool.request.url)]) {
      assert.ok(origins.includes(new URL(url).origin), `${connector.slug}: ${url}`)
    }
  }
})

test('the scopes that a tool needs are scopes that the connector asks for', () => {
  for (const connector of catalogue.all()) {
    const method = oauthMethod(connector)
    if (!method) continue
    const asked = method.scopes.map(({ name }) => name)
    for (const tool of connector.tools)
      assert.deepEqual(
        tool.scopes.flat().filter(scope => !asked.includes(scope)),
        [],
        tool.name,
      )
  }
})

test('without a sandbox its connectors do not exist', () => {
  assert.deepEqual(loadCatalogue({}).all(), [])
})

test('a file that says something unknown is refused with the place of the mistake', () => {
  const connector = { ...catalogue.find('sandbox-vault'), colour: 'red' }
  assert.throws(() => parseConnector(JSON.stringify(connector), 'x.json'), /connector file x\.json: .*/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from '../../../connectors/catalog/catalog.ts'
import type { CallableTool } from '../../admission/callable-tool.ts'
import { rolesOf } from './freeze-call.ts'

const callable = (slug: string, name: string): Extract<CallableTool, { kind: 'http' }> => {
  const connector = loadCatalog({}).find(slug)
  const tool = connector?.tools.find(one => one.name === name)
  assert.ok(connector && tool)
  return { kind: 'http', connector, name: `${slug}__${name}`, tool, choice: {} }
}

test('freeze call: roles of the arguments that the call has, without those that have none', () => {
  assert.deepEqual(
    rolesOf(callable('gmail', 'send_message'), { to: ['ana@example.com'], subject: 'Hi', text: 'Hello' }),
    { to: 'recipient', subject: 'text', text: 'text' },
  )
  const sms = { to: '+15550100', from: '+15550101', body: 'Hello' }
  assert.deepEqual(rolesOf(callable('twilio', 'send_message'), sms), { to: 'recipient', body: 'text' })
  assert.deepEqual(rolesOf(callable('twilio', 'list_phone_numbers'), {}), {})
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectorTool, suggestedEffects, type ToolEffect, toolEffects } from '@carabiner/contract'
import { loadCatalog } from '../catalog.ts'
import { toolAnnotations } from '../catalog-tools.ts'
import { effectProblems } from './effect-rules.ts'

const tool: ConnectorTool = {
  name: 'create_thing',
  title: 'Create a thing',
  description: 'Creates a thing.',
  input_schema: { type: 'object' },
  scopes: [],
  request: { method: 'POST', url: 'https://api.example.com/things' },
  read_only: false,
}
const writing = loadCatalog({ sandbox_url: 'http://localhost:4001' })
  .all()
  .flatMap(({ slug, tools }) => tools.map(one => ({ slug, tool: one })))
  .filter(({ tool: { read_only: readOnly } }) => !readOnly)

test('effects: a writing tool without a declaration is rejected, also if it has no effects', () => {
  assert.deepEqual(
    effectProblems(tool, ['tools', 0]).map(({ reason }) => reason),
    ['must have effects, because it is not read-only; [] if it has none of them'],
  )
  assert.deepEqual(effectProblems({ ...tool, effects: [] }, []), [])
  assert.deepEqual(effectProblems({ ...tool, read_only: true }, []), [])
  assert.equal(effectProblems({ ...tool, read_only: true, effects: [] }, []).length, 1)
})

test('effects: any effect makes a tool destructive for clients; a read-only tool has no such hint', () => {
  const hintOf = (effects: ToolEffect[]) => toolAnnotations({ ...tool, effects }).destructiveHint
  assert.equal(hintOf([]), false)
  for (const effect of toolEffects) assert.equal(hintOf([effect]), true, effect)
  assert.deepEqual(toolAnnotations({ ...tool, read_only: true }), {
    title: 'Create a thing',
    readOnlyHint: true,
  })
})

test('effects: names and methods suggest them, and nouns in a name do not', () => {
  for (const [name, method, expected] of [
    ['send_message', 'POST', ['sends']],
    ['messages_send', 'POST', ['sends']],
    ['create_share_link', 'POST', ['shares']],
    ['create_refund', 'POST', ['pays']],
    ['remove_member', 'POST', ['deletes', 'suspends']],
    ['void_invoice', 'PUT', ['suspends']],
    ['drop_thing', 'DELETE', ['deletes', 'suspends']],
    ['update_block', 'PATCH', []],
    ['update_share', 'PATCH', []],
    ['create_task', 'POST', []],
  ] as const)
    assert.deepEqual([...suggestedEffects(name, method)], [...expected], name)
})

test('shipped tools: a tool declares the effects that its name and its method suggest', () => {
  assert.ok(writing.length >= 200, `${writing.length} writing tools`)
  const contradictions = writing.flatMap(({ slug, tool: { name, request, effects = [] } }) => {
    const suggested = suggestedEffects(name, request.method)
    return suggested.length === 0 || suggested.some(effect => effects.includes(effect))
      ? []
      : [`${slug}__${name}: ${suggested.join(' or ')}`]
  })
  assert.deepEqual(contradictions, [])
})

test('shipped tools: the description of a tool without effects does not warn of one', () => {
  const warned = writing.filter(
    ({ tool: { description, effects = [] } }) =>
      effects.length === 0 && /ask before|cannot be undone|mailed to|sends (?:them|an?)/i.test(description),
  )
  assert.deepEqual(
    warned.map(({ slug, tool: { name } }) => `${slug}__${name}`),
    [],
  )
})

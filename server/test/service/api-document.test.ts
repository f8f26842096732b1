import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorCodes } from '@carabiner/contract'
import { formatApiDocument, makeApiDocument } from '../../../scripts/api-document.ts'
import { OPERATION_NAMES } from '../../src/edge/openapi-names.ts'

type Operation = {
  summary?: string
  description?: string
  tags: string[]
  operationId: string
  responses: Record<string, { description: string }>
  parameters: { name: string; in: string }[]
}
type Document = {
  openapi: string
  tags: { name: string }[]
  components: { schemas: Record<string, unknown> }
  paths: Record<string, Record<string, Operation>>
}

const document = (await makeApiDocument()) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('the committed API document equals the generated one', () => {
  const committed = readFileSync(join(import.meta.dirname, '../../../docs/api/openapi.json'), 'utf8')
  assert.equal(committed, formatApiDocument(document), 'run npm run docs:api')
})

test('every operation has a summary, a unique ID, its path parameters, a success and its errors', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.ok(operations.length >= 15)
  assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
  for (const { path, method, operation } of operations) {
    const operationName = `${method} ${path}`
    assert.ok(operation.summary, operationName)
    assert.ok(
      Object.keys(operation.responses).some(status => status.startsWith('2')),
      operationName,
    )
    assert.ok(operation.responses['401'], operationName)
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    assert.deepEqual(
      operation.parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name),
      wanted,
      operationName,
    )
  }
})

test('every operation has a chosen name and a defined tag, and no name is unused', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  assert.deepEqual(names.toSorted(), Object.values(OPERATION_NAMES).toSorted())
  const tags = document.tags.map(({ name }) => name)
  for (const { operation } of operations) {
    assert.match(operation.operationId, /^[a-z]+[A-Z][A-Za-z]+$/)
    assert.ok(operation.description, operation.operationId)
    assert.ok(
      operation.tags.length > 0 && operation.tags.every(tag => tags.includes(tag)),
      operation.operationId,
    )
  }
})

test('every repeated object schema has a name, and every reference resolves', () => {
  const occurrences = new Map<string, number>()
  const referenced = new Set<string>()
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    const schema = value as Record<string, unknown>
    if (typeof schema.$ref === 'string') referenced.add(schema.$ref)
    if (schema.type === 'object' && schema.properties)
      occurrences.set(JSON.stringify(schema), (occurrences.get(JSON.stringify(schema)) ?? 0) + 1)
    Object.values(schema).forEach(walk)
  }
  walk(document.paths)
  walk(document.components)
  assert.deepEqual(
    [...occurrences].filter(([, count]) => count > 1).map(([schema]) => schema.slice(0, 200)),
    [],
  )
  const defined = Object.keys(document.components.schemas).map(name => `#/components/schemas/${name}`)
  assert.deepEqual([...referenced].toSorted(), defined.toSorted())
  for (const name of ['RegisteredUser', 'Credential', 'ToolPack', 'Error', 'LinkToken'])
    assert.ok(document.components.schemas[name], name)
})

test('the errors that it lists are in the error table', () => {
  const named = operations.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap(({ description }) =>
      [...description.matchAll(/`([a-z_]+)`:/g)].map(match => match[1] as string),
    ),
  )
  assert.ok(named.includes('code_does_not_belong_to_organization'))
  assert.deepEqual(
    named.filter(code => !(errorCodes as string[]).includes(code)),
    [],
  )
})

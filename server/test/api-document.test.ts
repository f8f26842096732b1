import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorCodes } from '@carabiner/contract'
import { formatApiDocument, makeApiDocument } from '../../scripts/api-document.ts'

type Operation = {
  summary?: string
  operationId: string
  responses: Record<string, { description: string }>
  parameters: { name: string; in: string }[]
}
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> }

const document = (await makeApiDocument()) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('the API document in docs is the one the routes make', () => {
  const committed = readFileSync(join(import.meta.dirname, '../../docs/api/openapi.json'), 'utf8')
  assert.equal(committed, formatApiDocument(document), 'run npm run docs:api')
})

test('every operation is OpenAPI 3.1 with a summary, an id of its own, its path parameters, a success and its refusals', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.ok(operations.length >= 15)
  assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
  for (const { path, method, operation } of operations) {
    const where = `${method} ${path}`
    assert.ok(operation.summary, where)
    assert.ok(
      Object.keys(operation.responses).some(status => status.startsWith('2')),
      where,
    )
    assert.ok(operation.responses['401'], where)
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    assert.deepEqual(
      operation.parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name),
      wanted,
      where,
    )
  }
})

test('the refusals it names are in the error table', () => {
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

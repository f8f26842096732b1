import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorCodes } from '@carabiner/contract'
import {
  type Operation as DeclaredOperation,
  exampleBodies,
  operations as operationsByName,
} from '@carabiner/contract/operations'
import { Check } from 'typebox/value'
import { formatApiDocument, makeApiDocument, makeApiReference } from '../../../scripts/api-document.ts'

type Described = {
  description?: string
  properties?: Record<string, Described>
  items?: Described
  anyOf?: Described[]
}

type Operation = {
  summary?: string
  description?: string
  tags: string[]
  operationId: string
  'x-codeSamples': unknown[]
  responses: Record<string, { description: string }>
  parameters: (Described & { name: string; in: string; schema: Described })[]
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

test('the committed pages of the API reference equal the generated ones', () => {
  const folder = join(import.meta.dirname, '../../../docs/api')
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const pages = makeApiReference(document, read('index.md'))
  for (const [name, page] of pages) assert.equal(read(name), page, `${name}: run npm run docs:api`)
  const files = readdirSync(folder).filter(name => name.endsWith('.md'))
  assert.deepEqual(files.toSorted(), [...pages.keys()].toSorted())
})

test('every body has an example that its schema accepts, and every operation with a key its programs', () => {
  for (const operation of Object.values<DeclaredOperation>(operationsByName)) {
    const { body, name, method, path } = operation
    const samples = document.paths[`/api/v1${path}`]?.[method.toLowerCase()]?.['x-codeSamples']
    assert.equal(samples?.length, operation.personOnly ? 0 : 2, name)
    if (!body) continue
    const example = exampleBodies[name as keyof typeof exampleBodies] ?? {}
    assert.ok(Check(body, example), `${name}: ${JSON.stringify(example)}`)
  }
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

test('every operation has a name of its own and a defined tag', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(names).size, names.length)
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

test('every parameter and every property is described', () => {
  const undescribed: string[] = []
  const isDescribed = ({ description, anyOf = [] }: Described) =>
    description !== undefined || anyOf.some(alternative => alternative.description !== undefined)
  const visit = (path: string, schema: Described): void => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (!isDescribed(property)) undescribed.push(`${path}.${name}`)
      visit(`${path}.${name}`, property)
    }
    if (schema.items) visit(path, schema.items)
    for (const alternative of schema.anyOf ?? []) visit(path, alternative)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) visit(name, schema as Described)
  for (const { operation } of operations)
    for (const { name, description, schema } of operation.parameters)
      if (description === undefined && !isDescribed(schema))
        undescribed.push(`${operation.operationId}.${name}`)
  assert.deepEqual(undescribed, [])
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

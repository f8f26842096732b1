import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeConnectorLogos } from '../../../scripts/connector-logos.ts'
import { makeConnectorSchema } from '../../../scripts/connector-schema.ts'
import { makeConnectorTable, withConnectorTable } from '../../../scripts/connector-table.ts'
import { connectorFiles, loadCatalog, SHIPPED_FOLDER } from '../../src/features/connectors/catalog/catalog.ts'
import { showProblem } from '../../src/features/connectors/catalog/connector-problem.ts'
import { inputSchemaProblems } from '../../src/features/connectors/catalog/input-schema-rules.ts'
import { readConnector } from '../../src/features/connectors/catalog/read-connector.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/reference/connector-files.md'), 'utf8')

test('the published schema of connector files equals the generated one', () => {
  const committed = readFileSync(join(root, 'connectors/connector.schema.json'), 'utf8')
  assert.equal(committed, makeConnectorSchema(), 'run npm run docs:connectors')
})

test('the connector logos equal those of simple-icons', () => {
  const slugs = connectorFiles(SHIPPED_FOLDER).map(name => name.slice(0, -'.json'.length))
  const committed = readFileSync(join(root, 'connectors/logos/marks.json'), 'utf8')
  assert.equal(committed, makeConnectorLogos(slugs), 'run npm run docs:connectors')
})

test('the connector table in the docs matches the connector files', () => {
  const table = makeConnectorTable(loadCatalog({}).all())
  assert.equal(page, withConnectorTable(page, table), 'run npm run docs:connectors')
})

test('the example in docs is a valid connector', () => {
  const [, example = ''] = /```json\n(\{\n {2}"\$schema"[\s\S]*?)```/.exec(page) ?? []
  const options = { places: {}, slug: 'parts', rules: true, slowRules: inputSchemaProblems }
  const read = readConnector(example, 'docs/reference/connector-files.md', options)
  assert.deepEqual('problems' in read ? read.problems.map(showProblem) : [], [])
  assert.ok('connector' in read)
})

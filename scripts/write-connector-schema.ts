import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalogue } from '../server/src/features/connectors/catalogue.ts'
import { makeConnectorSchema } from './connector-schema.ts'
import { makeConnectorTable, withConnectorTable } from './connector-table.ts'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/connectors.md')

writeFileSync(join(root, 'connectors/connector.schema.json'), makeConnectorSchema())
const table = makeConnectorTable(loadCatalogue({}).all())
writeFileSync(page, withConnectorTable(readFileSync(page, 'utf8'), table))

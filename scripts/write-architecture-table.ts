import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { architectureTable, withArchitectureTable } from './architecture-table.ts'

const page = join(import.meta.dirname, '../docs/project/architecture.md')
writeFileSync(page, withArchitectureTable(readFileSync(page, 'utf8'), architectureTable()))

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatApiDocument, makeApiDocument } from './api-document.ts'

const folder = join(import.meta.dirname, '../docs/api')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'openapi.json'), formatApiDocument(await makeApiDocument()))

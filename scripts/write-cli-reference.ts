import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cliReference } from './cli-reference.ts'

/** `npm run docs:cli` */
const file = join(import.meta.dirname, '../docs/reference/cli.md')
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, cliReference())

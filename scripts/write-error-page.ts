import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeErrorPage } from './error-page.ts'

writeFileSync(join(import.meta.dirname, '../docs/errors.md'), makeErrorPage())

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorCodes } from '@carabiner/contract'
import { makeErrorPage } from '../../../scripts/error-page.ts'

const page = makeErrorPage()

test('docs/errors.md equals the page generated from the error catalog', () => {
  const file = join(import.meta.dirname, '../../../docs/errors.md')
  assert.equal(readFileSync(file, 'utf8'), page, 'run npm run docs:errors')
})

test('error page: each code has a heading, a cause and a fix, each a sentence', () => {
  for (const code of errorCodes) {
    const [, section = ''] = page.split(`\n## \`${code}\`\n`)
    const [text = ''] = section.split('\n## ')
    assert.match(text, /^\*\*Cause\.\*\* \S.+\.$/m, code)
    assert.match(text, /^\*\*Fix\.\*\* \S.+\.$/m, code)
  }
})

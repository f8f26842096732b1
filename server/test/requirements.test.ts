import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testFiles } from '../../scripts/testing/tiers.ts'
import { requirements } from './requirements.ts'

const root = join(import.meta.dirname, '../..')
// The slow tier repeats requirements, and proves none alone.
const named = testFiles(root, 'fast')
  .filter(file => !file.endsWith('requirements.test.ts'))
  .flatMap(file => [
    ...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:it|test)\(\s*[`'"](.*?)[`'"],/gs),
  ])
  .flatMap(([, title]) =>
    [...(title ?? '').matchAll(/\[([a-z-]+\.[a-z0-9-]+)\]/g)].map(match => match[1] as string),
  )

test('every requirement is covered by a test of npm test', () => {
  const proved = new Set(named)
  assert.deepEqual(
    Object.keys(requirements).filter(id => !proved.has(id)),
    [],
  )
})

test('no test names an unknown requirement', () => {
  assert.deepEqual(
    [...new Set(named)].filter(id => !(id in requirements)),
    [],
  )
})

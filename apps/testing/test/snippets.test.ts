import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { findHeadlessChromium } from '../../../scripts/machine.ts'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
// Below the root, so that the packages of this repository are found.
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache/testing-snippets-'))
before(() => writeFileSync(join(folder, 'package.json'), '{"type":"module"}'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A test runner that is started by a test must not report to it. */
const environment = (): NodeJS.ProcessEnv => {
  const { NODE_TEST_CONTEXT: _context, ...rest } = process.env
  return rest
}

const runNode = async (args: string[], cwd: string): Promise<string> => {
  const { stdout } = await run(process.execPath, args, { cwd, env: environment() }).catch(
    ({ stdout: output, stderr }: { stdout: string; stderr: string }) => assert.fail(`${output}\n${stderr}`),
  )
  return stdout
}

for (const page of ['apps/testing/README.md', 'docs/guides/testing.md'])
  test(`${page}: every snippet is a test that passes`, async () => {
    const text = readFileSync(join(root, page), 'utf8')
    const snippets = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '')
    assert.ok(snippets.length > 0)
    const files = snippets.map((code, index) => {
      const file = join(folder, `${page.replaceAll('/', '-')}-${index}.test.ts`)
      writeFileSync(file, code)
      return file
    })
    assert.match(await runNode(['--test', '--test-reporter=tap', ...files], folder), /# fail 0/)
  })

test('examples/testing-node: passes', async () => {
  const output = await runNode(['--test', '--test-reporter=tap'], join(root, 'examples/testing-node'))
  assert.match(output, /# pass 5/)
})

test('examples/testing-playwright: passes', async () => {
  const cli = join(root, 'node_modules/@playwright/test/cli.js')
  const example = join(root, 'examples/testing-playwright')
  const { stdout } = await run(process.execPath, [cli, 'test', '--output', join(folder, 'results')], {
    cwd: example,
    env: { ...environment(), CHROMIUM_PATH: findHeadlessChromium() ?? '' },
  }).catch(({ stdout: output }: { stdout: string }) => assert.fail(output))
  assert.match(stdout, /2 passed/)
})

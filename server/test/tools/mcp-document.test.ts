import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const TESTS = join(import.meta.dirname, '..')
const CLIENTS = join(TESTS, 'mcp-clients')
const read = (...path: string[]): string => readFileSync(join(TESTS, ...path), 'utf8')
const shown = read('../../docs/frameworks/mcp-clients.md')

/** The part that readers copy: a whole configuration file, or the marked part of a program. */
const snippetOf = (file: string): string | null => {
  const text = read('mcp-clients', file)
  if (file === 'mcp-remote.json') return text.trim()
  return /^(?:\/\/|#) snippet\n([\s\S]+?)\n(?:\/\/|#) end$/m.exec(text)?.[1]?.trim() ?? null
}

const snippets = readdirSync(CLIENTS).flatMap(file => {
  const snippet = snippetOf(file)
  return snippet ? [{ file, snippet }] : []
})

test('docs/frameworks/mcp-clients.md contains the snippets that the tests run, for each client', () => {
  assert.ok(snippets.length >= 11, 'the snippets were found')
  for (const { file, snippet } of snippets) assert.ok(shown.includes(`\n${snippet}\n\`\`\``), file)
})

test('docs/frameworks/mcp-clients.md states the versions that the tests install', () => {
  const { dependencies } = JSON.parse(read('mcp-clients/package.json')) as {
    dependencies: Record<string, string>
  }
  const named = Object.entries(dependencies).filter(([name]) => shown.includes(`\`${name}\``))
  assert.ok(named.length >= 9, 'the clients are listed')
  for (const [name, version] of named)
    assert.ok(
      shown.split('\n').some(line => line.includes(`\`${name}\``) && line.includes(version)),
      `${name} ${version}`,
    )
})

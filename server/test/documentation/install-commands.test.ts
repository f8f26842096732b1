import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './fenced-blocks.ts'

/** The folders in which the tests install the frameworks. */
const TESTED = ['server/test/mcp-clients', 'server/test/claude-agent']
const PAGES = ['docs/frameworks/*.md', 'docs/get-started/agent.md']

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const testedVersions = new Map(
  TESTED.flatMap(folder => {
    const { packages } = JSON.parse(read(`${folder}/package-lock.json`)) as {
      packages: Record<string, { version: string }>
    }
    return Object.entries(packages).map(
      ([path, { version }]) => [path.replace('node_modules/', ''), version] as const,
    )
  }),
)

test('install commands: the pages of frameworks name the versions that the tests use', () => {
  let commands = 0
  for (const page of PAGES.flatMap(pattern => globSync(pattern, { cwd: root })))
    for (const [, words = ''] of read(page).matchAll(/npm install ((?:[^\n`\\]|\\\n)+)/g)) {
      commands++
      for (const word of words.split(/[\s\\]+/).filter(Boolean)) {
        const [, name = word, version] = /^(@?[^@]+)@(.+)$/.exec(word) ?? []
        assert.equal(version, testedVersions.get(name), `${name} in ${page}`)
      }
    }
  assert.equal(commands, 9)
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse as parseYaml } from 'yaml'
import { drawSequence } from '../../../docs/.vitepress/site/sequence-diagram.ts'
import { buildPackages } from '../../../scripts/build-packages.ts'
import { type Block, blocksOf, readBlocks, root } from './fenced-blocks.ts'
import { CONTEXT, isForFramework, isHistory, RUN_BY } from './snippet-context.ts'

const run = promisify(execFile)
const blocks = readBlocks()
const inLanguage = (...languages: string[]): Block[] =>
  blocks.filter(({ language }) => languages.includes(language))

/** How each language is checked. A block in any other language fails. */
const LANGUAGES = ['ts', 'tsx', 'js', 'json', 'sh', 'yaml', 'mermaid', 'html', 'ini', 'python', 'text']

test('snippets: every block names a language that a test checks', () => {
  assert.ok(blocks.length > 150)
  assert.deepEqual(
    blocks
      .filter(({ language }) => !LANGUAGES.includes(language))
      .map(({ place, language }) => `${place} ${language}`),
    [],
  )
})

test('snippets: blocks are found with their line, name and indentation', () => {
  const text = '# A\n\n1. b\n\n   ```ts [c.ts]\n   const d = 1\n     e()\n   ```\n\n```\nf\n```\n'
  assert.deepEqual(blocksOf('g.md', text), [
    { place: 'g.md:5', file: 'g.md', language: 'ts', name: 'c.ts', code: 'const d = 1\n  e()\n' },
    { place: 'g.md:10', file: 'g.md', language: '', name: null, code: 'f\n' },
  ])
})

test('snippets: JSON parses', () => {
  for (const { code, place } of inLanguage('json')) assert.doesNotThrow(() => JSON.parse(code), place)
})

test('snippets: YAML parses', () => {
  for (const { code, place } of inLanguage('yaml')) assert.doesNotThrow(() => parseYaml(code), place)
})

test('snippets: each line of an INI file is a section, a setting or a comment', () => {
  for (const { code, place } of inLanguage('ini'))
    for (const line of code.trim().split('\n'))
      assert.match(line, /^(?:\[\w+\]|[\w-]+ ?= ?\S.*|[#;].*|)$/, place)
})

test('snippets: HTML has a closing tag for each opening one', () => {
  for (const { code, place } of inLanguage('html')) {
    const names = (pattern: RegExp): string[] =>
      [...code.matchAll(pattern)].map(([, name = '']) => name).toSorted()
    assert.deepEqual(names(/<([a-z][\w-]*)/g), names(/<\/([a-z][\w-]*)>/g), place)
  }
})

test('snippets: diagrams can be drawn', () => {
  assert.ok(inLanguage('mermaid').length >= 4)
  for (const { code, place } of inLanguage('mermaid')) assert.doesNotThrow(() => drawSequence(code), place)
  assert.throws(() => drawSequence('sequenceDiagram\n  loop forever'), /draws no such line/)
})

test('snippets: a test that is named as running the blocks of a file reads that file', () => {
  for (const [file, testFile] of Object.entries(RUN_BY)) {
    const name = file.startsWith('packages/') ? 'README.md' : file.replace(/^docs\//, '')
    assert.ok(readFileSync(join(root, testFile), 'utf8').includes(name), testFile)
  }
})

test('snippets: Python parses, if this machine has Python', async context => {
  const parse = 'import ast, sys; ast.parse(sys.argv[1])'
  for (const { code, place } of inLanguage('python')) {
    const error = await run('python3', ['-c', parse, code]).then(
      () => null,
      (thrown: NodeJS.ErrnoException) => thrown,
    )
    if (error?.code === 'ENOENT') return context.skip('python3 is not installed')
    assert.equal(error, null, place)
  }
})

test('snippets: programs for frameworks parse', async () => {
  for (const { code, place } of inLanguage('js').filter(({ file }) => isForFramework(file)))
    assert.doesNotThrow(() => stripTypeScriptTypes(code), place)
})

const folder = join(root, `.cache/snippets-${process.pid}`)

/** A component's body needs a function around it. Imports stay outside. */
const asModule = (code: string): string => {
  if (!/^return /m.test(code)) return `${code}\nexport {}\n`
  const lines = code.split('\n')
  const isImport = (line: string): boolean => line.startsWith('import ')
  return [
    ...lines.filter(isImport),
    'export const Snippet = () => {',
    ...lines.filter(line => !isImport(line)),
    '}',
  ].join('\n')
}

const writeModules = (snippets: Block[]): void => {
  for (const [index, { file, name, language, code }] of snippets.entries()) {
    // A name without an extension is the label of a tab.
    const path = join(folder, file, name?.includes('.') ? name : `${index}.${language}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, asModule(code))
  }
}

const compile = async (): Promise<void> => {
  const options = {
    extends: join(root, 'tsconfig.browser.json'),
    compilerOptions: {
      types: ['node'],
      moduleResolution: 'bundler',
      noUnusedLocals: false,
      noUnusedParameters: false,
      erasableSyntaxOnly: false,
    },
    include: ['**/*'],
    exclude: [],
  }
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify(options))
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', config], { cwd: folder }).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  )
}

test('snippets: programs compile against the built packages', async context => {
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  await buildPackages()
  const snippets = inLanguage('ts', 'tsx', 'js').filter(
    ({ file }) => !(file in RUN_BY) && !isForFramework(file) && !isHistory(file),
  )
  assert.ok(snippets.length > 20)
  writeModules(snippets)
  writeFileSync(join(folder, 'context.d.ts'), CONTEXT)
  await compile()
})

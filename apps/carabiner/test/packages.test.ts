import assert from 'node:assert/strict'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { writeServiceModules } from '../../../scripts/packages/build-service.ts'
import {
  folderOf,
  type Manifest,
  PUBLISHED,
  publishedManifest,
  readManifest,
} from '../../../scripts/packages/published.ts'
import { publishedReadme } from '../../../scripts/packages/published-readme.ts'
import { SPECIFIER } from '../../../scripts/packages/strip-modules.ts'

const root = join(import.meta.dirname, '../../..')
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/
const WORKSPACES = [
  'server',
  'dashboard',
  'e2e',
  'bench',
  ...globSync('{packages,examples}/*', { cwd: root }),
]

test('versions: all packages, the service and the examples have the same version', () => {
  const versions = new Map(
    WORKSPACES.filter(folder => existsSync(join(root, folder, 'package.json'))).map(folder => [
      folder,
      readManifest(join(root, folder)).version,
    ]),
  )
  const expected = readManifest(folderOf('carabiner')).version
  assert.deepEqual(
    [...versions].filter(([, version]) => version !== expected),
    [],
  )
  const service = readFileSync(join(root, 'server/src/service.ts'), 'utf8')
  assert.match(service, new RegExp(`VERSION = '${expected.replaceAll('.', '\\.')}'`))
})

test('READMEs: have no relative link as published, with and without a known repository', () => {
  for (const name of PUBLISHED) {
    for (const repository of [undefined, 'acme/carabiner'])
      assert.doesNotMatch(publishedReadme(name, repository), /\]\(\.\.?\//, name)
    for (const [, path = ''] of publishedReadme(name, 'acme/carabiner').matchAll(
      /github\.com\/acme\/carabiner\/blob\/main\/([^)#]+)/g,
    ))
      assert.ok(existsSync(join(root, path)), `${path} in the README of ${name}`)
  }
  const sdk = publishedReadme('sdk', undefined)
  assert.ok(sdk.includes('[`@carabiner/link`](https://www.npmjs.com/package/@carabiner/link)'))
  assert.ok(sdk.includes('Events and webhooks has examples'), 'plain text without an address')
})

for (const name of PUBLISHED)
  describe(`the manifest of ${name}, as published`, () => {
    const manifest: Manifest = publishedManifest(name)

    it('is complete, public and with provenance', () => {
      for (const field of ['description', 'license', 'keywords', 'type', 'files', 'exports', 'version'])
        assert.ok(manifest[field], field)
      assert.deepEqual(manifest['publishConfig'], { access: 'public', provenance: true })
      assert.deepEqual(
        [manifest.private, manifest.scripts, manifest.devDependencies],
        [undefined, undefined, undefined],
      )
      assert.ok(existsSync(join(folderOf(name), 'README.md')), 'README.md')
      assert.equal(readManifest(folderOf(name)).private, true, 'only the copy is published')
    })

    it('has exact dependencies, none of them a private package', () => {
      for (const [dependency, version] of Object.entries(manifest.dependencies ?? {})) {
        assert.match(version, EXACT, dependency)
        assert.doesNotMatch(dependency, /^@carabiner\/(?:server|dashboard)$/)
      }
    })

    it('depends only on packages that are published before it', () => {
      const earlier = PUBLISHED.slice(0, PUBLISHED.indexOf(name)).map(other => publishedManifest(other).name)
      const own = Object.keys(manifest.dependencies ?? {}).filter(dependency =>
        /^@?carabiner/.test(dependency),
      )
      assert.deepEqual(
        own.filter(dependency => !earlier.includes(dependency)),
        [],
      )
    })

    it('exports JavaScript with types, and no source', () => {
      for (const target of Object.values(manifest.exports)) {
        assert.ok(typeof target === 'object')
        assert.match(target.default, /^\.\/dist\/.*\.js$/)
        if (name !== 'carabiner') assert.match(target.types ?? '', /^\.\/dist\/.*\.d\.ts$/)
      }
    })
  })

describe('the service in the package', () => {
  const folder = mkdtempSync(join(root, '.cache/service-modules-'))
  let files: string[]
  before(() => {
    writeServiceModules(folder)
    files = globSync('**/*.js', { cwd: folder })
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  const importsOf = (file: string) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(SPECIFIER)].map(
      ([, , specifier]) => specifier ?? '',
    )

  it('contains every module that is imported or started by its path', () => {
    assert.ok(files.length > 500, `${files.length} modules`)
    const missing = files.flatMap(file =>
      importsOf(file)
        .filter(specifier => specifier.startsWith('.'))
        .map(specifier => join(dirname(file), specifier))
        .filter(target => !existsSync(join(folder, target))),
    )
    assert.deepEqual(missing, [])
    const started = files.flatMap(file =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/siblingModule\('([\w-]+)'/g)].map(([, name]) =>
        join(dirname(file), `${name}.js`),
      ),
    )
    assert.equal(started.length, 2)
    for (const program of started) assert.ok(files.includes(program), program)
  })

  it('imports only packages that are dependencies', () => {
    const { dependencies = {}, peerDependencies = {} } = publishedManifest('carabiner')
    const packages = new Set(
      files
        .flatMap(importsOf)
        .filter(specifier => !/^[.#]|^node:/.test(specifier) && !builtinModules.includes(specifier))
        .map(specifier => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''),
    )
    assert.deepEqual(
      [...packages].filter(name => !(name in dependencies) && !(name in peerDependencies)),
      [],
    )
  })

  it('neither contains nor requires the sandbox, whose OAuth server is for development only', () => {
    const { dependencies = {}, peerDependencies, peerDependenciesMeta } = publishedManifest('carabiner')
    assert.ok(!('@carabiner/sandbox' in dependencies) && !('oidc-provider' in dependencies))
    assert.deepEqual(Object.keys(peerDependencies ?? {}), ['@carabiner/sandbox'])
    assert.deepEqual(peerDependenciesMeta, { '@carabiner/sandbox': { optional: true } })
    assert.deepEqual(
      files.filter(file => file.includes('packages/sandbox')),
      [],
    )
    assert.ok('@carabiner/sandbox' in (publishedManifest('testing').dependencies ?? {}))
  })

  it('has no TypeScript and no file of a test', () => {
    assert.deepEqual(
      globSync('**/*.ts', { cwd: folder }).filter(file => !file.endsWith('.d.ts')),
      [],
    )
    assert.deepEqual(
      files.filter(file => /\.test\.js$|\/test\//.test(file)),
      [],
    )
  })
})

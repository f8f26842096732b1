import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The published packages: each depends on those before it only. */
export const PUBLISHED = [
  'contract',
  'detection',
  'sdk',
  'link',
  'cli',
  'sandbox',
  'carabiner',
  'testing',
] as const
export type PublishedName = (typeof PUBLISHED)[number]

type Target = string | { types?: string; default: string }
export type Manifest = {
  name: string
  version: string
  private?: boolean
  exports: string | Record<string, Target>
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  [field: string]: unknown
}

/** What stands on the server is in `apps/`, and what the server stands on in `packages/`. */
export const pathOf = (name: PublishedName): string =>
  `${name === 'carabiner' || name === 'testing' ? 'apps' : 'packages'}/${name}`

export const folderOf = (name: PublishedName): string => join(root, pathOf(name))

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** Packages of this repository that are not published. Their dependencies become those of the package that contains them. */
const CONTAINED: Record<string, string> = { '@carabiner/server': join(root, 'server') }

const SANDBOX = '@carabiner/sandbox'
/**
 * In this repository, the sandbox is a development dependency, so that a production installation of a clone omits it. Outside,
 * `carabiner` uses it if it is installed, and `@carabiner/testing` always needs it.
 */
const optionalSandbox = (version: string): Partial<Manifest> => ({
  peerDependencies: { [SANDBOX]: version },
  peerDependenciesMeta: { [SANDBOX]: { optional: true } },
})

/**
 * The manifest as published. In this repository, exports may name TypeScript sources, so that everything runs without a build, and
 * packages of the repository are dependencies of any version.
 */
export const publishedManifest = (name: PublishedName): Manifest => {
  const {
    scripts: _scripts,
    devDependencies: _dev,
    private: _private,
    ...manifest
  } = readManifest(folderOf(name))
  const exported = Object.entries(manifest.exports as Record<string, Target>).map(([entry, target]) => [
    entry,
    name === 'carabiner' ? serviceTarget(entry) : builtTarget(target),
  ])
  const repository = process.env['GITHUB_REPOSITORY']
  return {
    ...manifest,
    ...(repository && addressesOf(name, repository)),
    exports: Object.fromEntries(exported),
    ...(name === 'carabiner' && optionalSandbox(manifest.version)),
    dependencies: exactDependencies(
      { ...manifest.dependencies, ...(name === 'testing' && { [SANDBOX]: '*' }) },
      manifest.version,
    ),
    publishConfig: { access: 'public', provenance: true },
  }
}

/** npm verifies provenance against the address of the repository. */
const addressesOf = (name: PublishedName, repository: string) => {
  const url = `https://github.com/${repository}`
  return {
    homepage: `${url}/tree/main/${pathOf(name)}#readme`,
    repository: { type: 'git', url: `git+${url}.git`, directory: pathOf(name) },
    bugs: `${url}/issues`,
  }
}

const builtTarget = (target: Target): Target => {
  if (typeof target !== 'string') return target
  const file = target.replace('./src/', './dist/').replace(/\.ts$/, '')
  return { types: `${file}.d.ts`, default: `${file}.js` }
}

/** The package contains the whole service, in the folders of this repository. */
const serviceTarget = (entry: string): Target =>
  entry === './testing'
    ? { types: './dist/server/src/testing.d.ts', default: './dist/server/src/testing.js' }
    : { default: `./dist/apps/carabiner/src/${entry.replace('./', '')}.js` }

const exactDependencies = (given: Record<string, string>, version: string): Record<string, string> => {
  const exact: Record<string, string> = {}
  for (const [name, wanted] of Object.entries(given)) {
    const contained = CONTAINED[name]
    if (contained && existsSync(contained))
      Object.assign(exact, exactDependencies(readManifest(contained).dependencies ?? {}, version))
    else exact[name] = wanted === '*' ? version : wanted
  }
  return Object.fromEntries(Object.entries(exact).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

import { join } from 'node:path'
import { buildPackage, type PackageToBuild } from './build-package.ts'
import { readManifest } from './packages/published.ts'
import { printTypes } from './print-types.ts'

/** The modules that a package exports. */
const entriesOf = (name: string): string[] => {
  const { exports } = readManifest(join(import.meta.dirname, '../packages', name))
  return Object.values(exports).map(target => (target as string).replace(/^\.\/src\/(.*)\.ts$/, '$1'))
}

/** The published packages. Their modules and declarations do not depend on private packages. */
const PACKAGES: PackageToBuild[] = [
  {
    name: 'detection',
    entries: ['index', 'text', 'patterns'],
    external: /^(node:|libphonenumber-js\/)/,
    minify: false,
    from: ['packages/contract/src/tokens.ts'],
  },
  { name: 'link', entries: ['index', 'react', 'element'], external: /^react(\/|$)/, minify: true },
  {
    name: 'sdk',
    entries: ['index'],
    minify: false,
    declarations: { 'api-types.d.ts': printTypes },
    from: ['packages/contract/src/*.ts', 'scripts/print-types.ts'],
  },
  {
    name: 'contract',
    entries: entriesOf('contract'),
    minify: false,
    keepModules: true,
  },
  { name: 'cli', entries: ['index', 'main'], minify: false, keepModules: true },
  { name: 'sandbox', entries: ['index'], minify: false, keepModules: true },
  { name: 'testing', entries: ['index', 'service/service-program'], minify: false, keepModules: true },
]

export type BuiltPackage = 'detection' | 'link' | 'sdk' | 'contract' | 'cli' | 'sandbox' | 'testing'

/** The packages whose build is used in this repository. The others are built when they are packed. */
const USED_HERE: BuiltPackage[] = ['detection', 'link', 'sdk']

/** Skips packages whose inputs have not changed. */
export const buildPackages = async (names: readonly BuiltPackage[] = USED_HERE): Promise<void> => {
  await Promise.all(PACKAGES.filter(({ name }) => names.some(known => known === name)).map(buildPackage))
}

if (import.meta.main) await buildPackages()

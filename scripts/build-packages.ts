import { buildPackage, type PackageToBuild } from './build-package.ts'
import { printTypes } from './print-types.ts'

/** What is published is built: small modules, and declarations that lean on no other package of ours. */
const PACKAGES: PackageToBuild[] = [
  { name: 'link', entries: ['index', 'react', 'element'], external: /^react(\/|$)/, minify: true },
  {
    name: 'sdk',
    entries: ['index'],
    minify: false,
    declarations: { 'api-types.d.ts': printTypes },
    from: ['packages/contract/src/*.ts', 'scripts/print-types.ts'],
  },
]

/** Does nothing while nothing has changed. */
export const buildPackages = async (): Promise<void> => {
  await Promise.all(PACKAGES.map(buildPackage))
}

if (import.meta.main) await buildPackages()

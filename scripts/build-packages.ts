import { buildPackage, type PackageToBuild } from './build-package.ts'
import { printTypes } from './print-types.ts'

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
]

/** Skips packages whose inputs have not changed. */
export const buildPackages = async (): Promise<void> => {
  await Promise.all(PACKAGES.map(buildPackage))
}

if (import.meta.main) await buildPackages()

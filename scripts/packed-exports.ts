import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * In this repository, the exports of a package may point to its TypeScript sources, so that the server runs without a build.
 * Node does not run TypeScript below node_modules, so a packed manifest points to `dist`. `prepack` runs
 * `packed-exports.ts NAME`, and `postpack` adds `--restore`.
 */
type Target = string | { types: string; default: string }

const packed = (target: Target): Target => {
  if (typeof target !== 'string') return target
  const name = target.replace('./src/', './dist/').replace(/\.ts$/, '')
  return { types: `${name}.d.ts`, default: `${name}.js` }
}

const restored = (target: Target): Target =>
  typeof target === 'string' ? target : target.default.replace('./dist/', './src/').replace(/\.js$/, '.ts')

const [name = '', option] = process.argv.slice(2)
const file = join(import.meta.dirname, '../packages', name, 'package.json')
const manifest = JSON.parse(readFileSync(file, 'utf8')) as { exports: Record<string, Target> }
const change = option === '--restore' ? restored : packed
manifest.exports = Object.fromEntries(
  Object.entries(manifest.exports).map(([entry, target]) => [entry, change(target)]),
)
// Other processes may read the manifest at any time, so it is replaced atomically.
writeFileSync(`${file}.tmp`, `${JSON.stringify(manifest, null, 2)}\n`)
renameSync(`${file}.tmp`, file)

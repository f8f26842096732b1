import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/**
 * The API reference is the built file of a package. Its 180 dependencies are part of that file, so the package is not installed: its
 * archive is fetched from the npm registry once, checked, and kept in VitePress's cache.
 */
const PACKAGE = '@scalar/api-reference@1.72.1'
const INTEGRITY =
  'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=='

const sources = join(import.meta.dirname, '../api-reference')

/** Writes `api.html` and its files. */
export const writeApiReference = (outDir: string, base: string, cacheDir: string): void => {
  const built = fetchBuiltFiles(cacheDir)
  const own = ['start.js', 'page.css'].map(name => readFileSync(join(sources, name)))
  const hash = createHash('sha256').update(PACKAGE).update(Buffer.concat(own)).digest('hex').slice(0, 8)
  const folder = `assets/api-reference-${hash}`
  for (const name of globSync('{standalone.esm.js,chunks/*.js}', { cwd: built }))
    cpSync(join(built, name), join(outDir, folder, name))
  for (const name of ['start.js', 'page.css']) cpSync(join(sources, name), join(outDir, folder, name))
  const page = readFileSync(join(sources, 'api.html'), 'utf8')
  writeFileSync(join(outDir, 'api.html'), page.replaceAll('FOLDER', `${base}${folder}`))
}

const fetchBuiltFiles = (cacheDir: string): string => {
  const target = join(cacheDir, PACKAGE.replace('/', '-'))
  if (existsSync(target)) return target
  mkdirSync(cacheDir, { recursive: true })
  const folder = mkdtempSync(join(cacheDir, 'fetching-'))
  try {
    // On Windows npm is a batch file, which only a shell runs.
    const options = { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' } as const
    const [{ filename = '' } = {}] = JSON.parse(
      execFileSync('npm', ['pack', PACKAGE, '--json', '--loglevel=error'], options),
    ) as { filename?: string }[]
    const digest = createHash('sha512')
      .update(readFileSync(join(folder, filename)))
      .digest('base64')
    if (`sha512-${digest}` !== INTEGRITY) throw new Error(`The archive of ${PACKAGE} has another content.`)
    execFileSync('tar', ['-xzf', filename, 'package/dist/browser'], options)
    renameSync(join(folder, 'package/dist/browser'), target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return target
}

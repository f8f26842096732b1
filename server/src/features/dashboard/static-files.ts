import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export type StaticFile = {
  type: string
  body: Buffer
  etag: string
  /** Compressed at build time, best first. */
  encodings: { name: 'br' | 'gzip'; body: Buffer }[]
}

/**
 * Reads the built files into memory, by their path in the folder. They are small and do not change while the service runs; a
 * request can therefore not address any other file. `server` contains code that the service runs. Returns null if the dashboard has not been built.
 */
export const readStaticFiles = (folder: string): Map<string, StaticFile> | null => {
  if (!existsSync(join(folder, 'index.html'))) return null
  const files = new Map<string, StaticFile>()
  for (const name of globSync('**/*', { cwd: folder, exclude: ['server/**'] })) {
    const path = join(folder, name)
    const type = TYPES[extname(name)]
    if (type === undefined || !statSync(path).isFile()) continue
    const body = readFileSync(path)
    files.set(name.replaceAll('\\', '/'), {
      type,
      body,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      encodings: readEncodings(path),
    })
  }
  return files
}

const readEncodings = (path: string): StaticFile['encodings'] =>
  (
    [
      ['br', '.br'],
      ['gzip', '.gz'],
    ] as const
  )
    .filter(([, suffix]) => existsSync(path + suffix))
    .map(([name, suffix]) => ({ name, body: readFileSync(path + suffix) }))

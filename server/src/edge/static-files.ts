import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Null for files that are not served. */
export const contentTypeOf = (name: string): string | null => TYPES[extname(name)] ?? null

export type StaticFile = {
  type: string
  body: Buffer
  etag: string
  /** Compressed at build time, best first. */
  encodings: { name: 'br' | 'gzip'; body: Buffer }[]
}

/**
 * Reads the built files into memory, by their path in the folder. They are small and do not change while the service runs; a
 * request can therefore not address any other file. `server` contains code that the service runs. Returns null if there is no index, because
 * nothing has been built.
 */
export const readStaticFiles = (folder: string): Map<string, StaticFile> | null => {
  if (!existsSync(join(folder, 'index.html'))) return null
  const files = new Map<string, StaticFile>()
  for (const name of globSync('**/*', { cwd: folder, exclude: ['server/**'] })) {
    const path = join(folder, name)
    const type = contentTypeOf(name)
    if (type === null || !statSync(path).isFile()) continue
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

/** Headers of every page that is served from files. */
export const PAGE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  // With no-referrer, browsers send forms with `Origin: null`.
  'referrer-policy': 'same-origin',
}

export const sendStaticFile = (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, body, etag, encodings }: StaticFile,
  { isHashed = false } = {},
): FastifyReply => {
  reply
    .headers(PAGE_HEADERS)
    .header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', etag)
  if (headers['if-none-match'] === etag) return reply.code(304).send()
  const accepted = acceptedEncodings(headers['accept-encoding'])
  const encoding = encodings.find(({ name }) => accepted.has(name))
  if (encoding) reply.header('content-encoding', encoding.name)
  return reply.type(type).send(encoding?.body ?? body)
}

/** RFC 9110 §12.5.3: a weight of 0 rejects an encoding. */
export const acceptedEncodings = (header: string | string[] | undefined): Set<string> =>
  new Set(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map(entry => entry.split(';').map(part => part.trim()))
      .filter(([, weight = '']) => !/^q=0(\.0*)?$/.test(weight))
      .map(([name = '']) => name),
  )

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DOCUMENTATION_COMPLETE } from '../../edge/site-folders.ts'
import { acceptedEncodings, contentTypeOf, PAGE_HEADERS } from '../../edge/static-files.ts'

/** The built documentation. Its files stay on disk, because it has hundreds of them, and most processes serve only a few. */
export type Site = {
  folder: string
  /** The paths of all files. A request can address no other file. */
  names: ReadonlySet<string>
  /** The inline scripts of its pages, as sources of the content security policy. */
  scriptHashes: readonly string[]
}

/** Null: the site is not built. */
export const openSite = async (folder: string): Promise<Site | null> => {
  const complete = await readFile(join(folder, DOCUMENTATION_COMPLETE), 'utf8')
    .then(text => JSON.parse(text) as { script_hashes: string[] })
    .catch(() => null)
  if (complete === null) return null
  const names = (await readdir(folder, { recursive: true })).map(name => name.replaceAll('\\', '/'))
  return {
    folder,
    names: new Set(names.filter(name => contentTypeOf(name) !== null)),
    scriptHashes: complete.script_hashes,
  }
}

/** The file of an address without its ending, as the site links to its pages. */
export const findName = ({ names }: Site, path: string): string | null => {
  const name = path.replace(/\/$/, '')
  const candidates = [name, `${name}.html`, name === '' ? 'index.html' : `${name}/index.html`]
  return candidates.find(candidate => names.has(candidate)) ?? null
}

const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
]

export const sendSiteFile = async (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { folder }: Site,
  name: string,
): Promise<FastifyReply> => {
  const path = join(folder, name)
  const { size, mtimeMs } = await stat(path)
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`
  reply
    .headers(PAGE_HEADERS)
    .header('cache-control', name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', etag)
    .type(contentTypeOf(name) ?? '')
  if (headers['if-none-match'] === etag) return reply.code(304).send()
  const accepted = acceptedEncodings(headers['accept-encoding'])
  for (const encoding of ENCODINGS.filter(each => accepted.has(each.name))) {
    const compressed = await readFile(path + encoding.suffix).catch(() => null)
    if (compressed) return reply.header('content-encoding', encoding.name).send(compressed)
  }
  return reply.send(await readFile(path))
}

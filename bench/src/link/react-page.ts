import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

export type Served = { body: string; type: string }

/** The files of a page by path. */
export type Site = Record<string, Served>

/** Bundles the React picker as for production. */
export const bundlePicker = async (): Promise<string> => {
  await using bundle = await rolldown({
    input: join(import.meta.dirname, 'react-picker/main.jsx'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  return output[0].code
}

export const reactSite = (script: string, style: string, session: unknown): Site => ({
  '/': {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="en" dir="ltr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>What would you like to connect?</title><link rel="stylesheet" href="/style.css"><script type="module" src="/app.js"></script></head><body><div id="root"></div></body></html>`,
  },
  '/app.js': { type: 'text/javascript; charset=utf-8', body: script },
  // The root element generates no box, so that the same rules produce the same layout.
  '/style.css': { type: 'text/css; charset=utf-8', body: `${style}#root{display:contents}` },
  '/session.json': { type: 'application/json; charset=utf-8', body: JSON.stringify(session) },
})

export type SiteServer = { origin: string; stop: () => Promise<void> }

/** Serves the files from memory, compressed in advance. */
export const serveSite = async (site: Site, headers: Record<string, string>): Promise<SiteServer> => {
  const gzipped = new Map(
    Object.entries(site).map(([path, { body, type }]) => [path, { body: gzipSync(body), type }]),
  )
  const server = createServer((request, response) => {
    const file = gzipped.get(new URL(request.url ?? '/', 'http://site.invalid').pathname)
    if (!file) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    response.writeHead(200, {
      ...headers,
      'content-type': file.type,
      'content-encoding': 'gzip',
      'content-length': file.body.length,
    })
    response.end(file.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

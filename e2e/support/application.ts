import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** Requests to the application's server, without automatic ones such as for the favicon. */
export type Received = { url: URL; headers: IncomingHttpHeaders }

/** The application that created the link. It has a callback and records its requests. */
export type Application = {
  origin: string
  /** The same server under another host name, which is another site. */
  foreignOrigin: string
  /** The same server under a host name that cannot be an allowed origin. */
  unlistedOrigin: string
  callbackUrl: string
  received: Received[]
  /** Serves a page that the test defines. */
  serve: (path: string, html: string, headers?: Record<string, string>) => void
  serveScript: (path: string, script: string) => void
  stop: () => Promise<void>
}

type Served = { body: string; type: string; headers?: Record<string, string> | undefined }

const CALLBACK_PATH = '/application/done'
const PACKAGE = join(import.meta.dirname, '../../packages/link/dist')
const page = (body: string) => `<!doctype html><html lang="en"><title>Application</title>${body}`

export const startApplication = async (): Promise<Application> => {
  const received: Received[] = []
  const served = new Map<string, Served>()
  const serve: Application['serve'] = (path, html, headers) =>
    void served.set(path, { body: page(html), type: 'text/html', headers })
  serve(CALLBACK_PATH, '<h1>Back in the application</h1>')
  /** The built package: `import '/carabiner-link/index.js'`. */
  const findPackaged = (path: string): Served | undefined => {
    const name = /^\/carabiner-link\/([\w-]+\.js)$/.exec(path)?.[1]
    return name ? { body: readFileSync(join(PACKAGE, name), 'utf8'), type: 'text/javascript' } : undefined
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://application.invalid')
    const found = served.get(url.pathname) ?? findPackaged(url.pathname)
    if (url.pathname === CALLBACK_PATH) received.push({ url, headers: request.headers })
    response.writeHead(found ? 200 : 204, {
      'content-type': `${found?.type ?? 'text/html'}; charset=utf-8`,
      ...found?.headers,
    })
    response.end(found?.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  return {
    origin,
    foreignOrigin: `http://127.0.0.1:${port}`,
    unlistedOrigin: `http://unlisted.localhost:${port}`,
    callbackUrl: origin + CALLBACK_PATH,
    received,
    serve,
    serveScript: (path, body) => void served.set(path, { body, type: 'text/javascript' }),
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the application's server was asked for. The browser's own requests, such as for an icon, are left out. */
export type Received = { url: URL; headers: IncomingHttpHeaders }

/** The application that asked for the link: it has a callback, and records whoever comes there. */
export type Application = {
  origin: string
  /** The same server under another name, and so on another site. */
  foreignOrigin: string
  callbackUrl: string
  received: Received[]
  /** Serves a page of the test's own. */
  serve: (path: string, html: string) => void
  stop: () => Promise<void>
}

const CALLBACK_PATH = '/application/done'
const page = (body: string) => `<!doctype html><html lang="en"><title>Application</title>${body}`

export const startApplication = async (): Promise<Application> => {
  const received: Received[] = []
  const pages = new Map([[CALLBACK_PATH, page('<h1>Back in the application</h1>')]])
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://application.invalid')
    const html = pages.get(url.pathname)
    if (url.pathname === CALLBACK_PATH) received.push({ url, headers: request.headers })
    response.writeHead(html ? 200 : 204, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  return {
    origin,
    foreignOrigin: `http://127.0.0.1:${port}`,
    callbackUrl: origin + CALLBACK_PATH,
    received,
    serve: (path, html) => void pages.set(path, page(html)),
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

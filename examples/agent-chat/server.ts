import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { build as buildPage } from 'vite'
import { buildPackages } from '../../scripts/build-packages.ts'
import type { Model } from './agent/model.ts'

export type ExampleOptions = {
  port: number
  carabinerUrl: string
  linkUrl: string
  apiKey: string
  model: Model
}
export type Example = { url: string; stop: () => Promise<void> }

const dist = join(import.meta.dirname, 'dist')
const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}
const MAX_BYTES = 200_000

export const build = async (): Promise<void> => {
  await buildPackages()
  await buildPage({ root: import.meta.dirname, logLevel: 'error' })
}

/** The application's backend, which serves the page and runs the agent. The API key never leaves it. */
export const startExample = async (options: ExampleOptions): Promise<Example> => {
  // Imported here, because the packages must be built first.
  const { createChatHandler, USERS, readChatRequest } = await import('./chat-routes.ts')
  const { linkUrl, model } = options
  const chat = createChatHandler(options)
  const link = new URL(linkUrl).origin
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ${link}; frame-src ${link}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://example.invalid')
    const route = `${request.method} ${pathname}`
    if (route === 'GET /api/setup')
      return send(
        response,
        200,
        'application/json',
        JSON.stringify({ users: USERS, link_url: linkUrl, model: model.name }),
      )
    if (route === 'POST /api/chat') {
      // Only this page may act for the signed-in user.
      if (request.headers['sec-fetch-site'] !== 'same-origin') return send(response, 403, 'text/plain', '')
      const chatRequest = readChatRequest(await readBody(request))
      return chatRequest
        ? chat(request, response, chatRequest)
        : send(response, 400, 'text/plain', 'Bad request')
    }
    const file = pathname === '/' ? 'index.html' : pathname.slice(1)
    if (request.method !== 'GET' || !/^(index\.html|assets\/[\w-]+\.\w+)$/.test(file))
      return send(response, 404, 'text/plain', 'Not found')
    response.setHeader('content-security-policy', policy)
    send(response, 200, MEDIA_TYPES[extname(file)] ?? 'text/plain', await readFile(join(dist, file)))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error)
      if (!response.headersSent) send(response, 500, 'text/plain', 'Something went wrong. See the log.')
      else response.end()
    })
  })
  await new Promise<void>(resolve => server.listen(options.port, 'localhost', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer): void => {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error('the request body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

if (import.meta.main) {
  const { CARABINER_URL = 'http://localhost:4000', CARABINER_API_KEY, PORT = '5302' } = process.env
  const { LINK_URL = `${CARABINER_URL}/link` } = process.env
  if (!CARABINER_API_KEY) {
    console.error('Set CARABINER_API_KEY to an API key of your organization. `npm start` prints a test key.')
    process.exit(1)
  }
  const { chooseModel } = await import('./agent/choose-model.ts')
  await build()
  const { url } = await startExample({
    port: Number(PORT),
    carabinerUrl: CARABINER_URL,
    linkUrl: LINK_URL,
    apiKey: CARABINER_API_KEY,
    model: chooseModel(process.env),
  })
  console.log(`Chat: ${url}`)
}

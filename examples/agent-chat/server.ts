import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { build as buildPage } from 'vite'
import { buildPackages } from '../../scripts/build-packages.ts'

export type ExampleOptions = {
  port: number
  carabinerUrl: string
  linkUrl: string
  apiKey: string
  /** A key of the group `approvals`. Without one, users decide where `approval_url` lets them. */
  approvalsKey?: string | undefined
  model: LanguageModelV4
}
export type Example = { url: string; stop: () => Promise<void> }

const dist = join(import.meta.dirname, 'dist')
const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}
const MAX_BYTES = 200_000
/** The page on which the approval window ends. */
const RETURN_PAGE = 'approved.html'

export const build = async (): Promise<void> => {
  await buildPackages()
  await buildPage({ root: import.meta.dirname, logLevel: 'error' })
}

/** The application's backend, which serves the page and runs the agent. The API key never leaves it. */
export const startExample = async (options: ExampleOptions): Promise<Example> => {
  // Imported here, because the packages must be built first.
  const { createChatHandler, USERS, readChatRequest } = await import('./chat-routes.ts')
  const { createApprovalRoutes } = await import('./approval-routes.ts')
  const { linkUrl, model, approvalsKey } = options
  const approvals =
    approvalsKey === undefined
      ? null
      : createApprovalRoutes({ ...options, approvalsKey, returnPage: `/${RETURN_PAGE}` })
  const chat = createChatHandler(options)
  const link = new URL(linkUrl).origin
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ${link}; frame-src ${link}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://example.invalid')
    const route = `${request.method} ${pathname}`
    if (route === 'GET /api/setup')
      return send(
        response,
        200,
        'application/json',
        JSON.stringify({
          users: USERS,
          link_url: linkUrl,
          model: model.modelId,
          confirms_approvals: approvals !== null,
        }),
      )
    if (route === 'POST /api/chat') {
      // Only this page may act for the signed-in user.
      if (request.headers['sec-fetch-site'] !== 'same-origin') return send(response, 403, 'text/plain', '')
      const chatRequest = readChatRequest(await readBody(request))
      return chatRequest
        ? chat(request, response, chatRequest)
        : send(response, 400, 'text/plain', 'Bad request')
    }
    // A real application takes the user from its own session.
    const user = searchParams.get('user') ?? ''
    const approvalId = /^GET \/api\/approvals\/([\w-]+)$/.exec(route)?.[1]
    if (approvals && Object.hasOwn(USERS, user) && approvalId !== undefined) {
      // The link opens once, so no other site may request one for this user.
      if (request.headers['sec-fetch-site'] !== 'same-origin') return send(response, 403, 'text/plain', '')
      const returnUrl = `http://${request.headers.host}/approvals/return?${new URLSearchParams({ user }).toString()}`
      return redirect(response, await approvals.show(approvalId, user, returnUrl))
    }
    if (approvals && Object.hasOwn(USERS, user) && route === 'GET /approvals/return')
      return redirect(response, await approvals.confirm(searchParams, user))

    const file = pathname === '/' ? 'index.html' : pathname.slice(1)
    if (request.method !== 'GET' || !/^(index\.html|approved\.html|assets\/[\w-]+\.\w+)$/.test(file))
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

const redirect = (response: ServerResponse, location: string): void => {
  response.writeHead(303, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  response.end()
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
    approvalsKey: process.env['CARABINER_APPROVALS_KEY'],
    model: chooseModel(process.env),
  })
  console.log(`Chat: ${url}`)
}

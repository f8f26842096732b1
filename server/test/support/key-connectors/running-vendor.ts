import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { sendJson } from '../hostile-authorization.ts'
import { IDENTITIES } from './identities.ts'
import { fingerprintOf, RSA } from './keys.ts'
import { jwtFault, standInFor } from './vendor-stand-in.ts'
import { TOKEN, VENDORS, type Vendor } from './vendors.ts'

type Reply = { status?: number; body?: unknown; delayMs?: number }

export type RunningVendor = {
  url: string
  /** The origins of the connector file that this server stands in for. */
  origins: string[]
  tokenRequests: number
  /** The tokens that the API accepts, if the vendor issues them. */
  validTokens: Set<string>
  /** The answers to the next token requests. Default: what the vendor does. */
  replies: Reply[]
  /** The keys and secrets that the vendor knows. */
  known: { secret?: string; privateKey?: string }
  /** How far the clock of the vendor is ahead. */
  clockAheadMs: number
  problems: string[]
  stop(): void
}

/** A vendor over HTTP, or HTTPS with the options: its token endpoint, and an API that accepts only what calls of its connector must carry. */
export const runVendor = async (
  slug: string,
  origins: string[],
  tls?: ServerOptions,
): Promise<RunningVendor> => {
  const vendor = VENDORS[slug] as Vendor
  const tokenOrigin = vendor.exchange ? new URL(vendor.exchange.request.split(' ')[1] ?? '').origin : null
  const running: Omit<RunningVendor, 'url'> = {
    origins,
    tokenRequests: 0,
    validTokens: new Set(),
    replies: [],
    known: {},
    clockAheadMs: 0,
    problems: [],
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const now = () => new Date(Date.now() + running.clockAheadMs)

  const issue = async (request: IncomingMessage, body: string) => {
    running.tokenRequests++
    const { status, body: scripted, delayMs = 0 } = running.replies.shift() ?? {}
    await delay(delayMs)
    if (status !== undefined || scripted !== undefined) return { status: status ?? 200, answer: scripted }
    const standIn = standInFor(vendor, { now: now(), ...running.known })
    const answered = await standIn.send({
      method: request.method === 'GET' ? 'GET' : 'POST',
      url: `${tokenOrigin}${request.url}`,
      headers: request.headers as Record<string, string>,
      ...(body !== '' && { body }),
    })
    running.problems.push(...standIn.problems)
    const token = `${TOKEN}-${running.tokenRequests}`
    if (answered.status === 200) running.validTokens.add(token)
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    const answer = answered.body
      .toString()
      .replaceAll(TOKEN, token)
      .replace(/2026-11-19T13:00:00Z/, inAnHour)
    return { status: answered.status, answer: JSON.parse(answer) as unknown }
  }

  /** The token in the header that the vendor names; null if a call does not carry what it must. */
  const tokenIn = ({ headers }: IncomingMessage): string | null => {
    let found: string | null = null
    for (const [name, value] of Object.entries(vendor.headers)) {
      if (name === 'accept') continue
      const [before = '', after] = value.split(TOKEN)
      const sent = String(headers[name] ?? '')
      if (after === undefined ? sent !== value : !sent.startsWith(before)) return null
      if (after !== undefined) found = sent.slice(before.length)
    }
    return found
  }
  const accepts = (token: string): boolean => {
    if (!vendor.jwt) return running.validTokens.has(token)
    const { privateKey = RSA } = running.known
    const claims = JSON.stringify(vendor.jwt.claims).replace(fingerprintOf(RSA), fingerprintOf(privateKey))
    const expected = { ...vendor.jwt, claims: JSON.parse(claims) as Record<string, string> }
    return jwtFault(token, expected, { ...vendor.fields, private_key: privateKey }, now()) === null
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const body = await text(request)
    const [path] = (request.url ?? '').split('?')
    if (vendor.exchange?.request.split('?')[0] === `${request.method} ${tokenOrigin}${path}`) {
      const { status, answer } = await issue(request, body)
      return sendJson(response, answer ?? {}, status)
    }
    const token = tokenIn(request)
    if (token === null || !accepts(token)) return sendJson(response, { message: 'Unauthorized' }, 401)
    const identity = IDENTITIES[slug]
    const { pathname, search } = new URL(identity?.request.split(' ')[1] ?? '')
    return sendJson(
      response,
      request.url === pathname + search ? identity?.answer : { success: true, result: token },
    )
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => void respond(request, response)
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(running, { url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}` })
}

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Each secret encodes its owner, its connector and how often it was refreshed. */
export const secretFor = (kind: 'key' | 'access' | 'refresh', user: string, connector: string, renewed = 0) =>
  `${kind}.${user}.${connector}.${renewed}`

type Claim = { kind: string; user: string; connector: string; renewed: number }

const readSecret = (secret: string): Claim => {
  const [kind = '', user = '', connector = '', renewed = ''] = secret.split('.')
  return { kind, user, connector, renewed: Number(renewed) }
}

/**
 * A provider that knows the owner of every secret. Each call names the user on whose behalf it is made (`as`) and, by its URL,
 * the connector. Every mismatch with the secret is recorded.
 */
export type Witness = {
  /** Two origins. Connectors that share an origin must not share anything else. */
  origins: [string, string]
  mismatches: string[]
  calls: Map<string, number>
  refreshes: Map<string, number>
  /** Access tokens refreshed at most this many times are rejected. */
  rejectUpTo(renewed: number, connector: (slug: string) => boolean): void
  close(): Promise<void>
}

type Rpc = { id?: string; method?: string; params?: { arguments?: { as?: string } } }

const TOOL = {
  name: 'who',
  description: 'Returns the user of the credential.',
  inputSchema: { type: 'object', properties: { as: { type: 'string' } }, required: ['as'] },
  annotations: { readOnlyHint: true },
}

export const startWitness = async (): Promise<Witness> => {
  const mismatches: string[] = []
  const calls = new Map<string, number>()
  const refreshes = new Map<string, number>()
  const sessions = new Map<string, string>()
  const generations = new Map<string, number>()
  let isRejected = (_claim: Claim): boolean => false
  const count = (of: Map<string, number>, key: string) => void of.set(key, (of.get(key) ?? 0) + 1)

  const json = (response: ServerResponse, body: unknown, status = 200, headers = {}): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

  /** Null if the request is rejected. */
  const recordCall = (secret: string, slugs: string[], as: string | null): string | null => {
    const claim = readSecret(secret)
    if (isRejected(claim)) return null
    if (claim.user !== as) mismatches.push(`${secret} was used for ${as}`)
    if (!slugs.includes(claim.connector)) mismatches.push(`${secret} was used for ${slugs.join(' or ')}`)
    if (claim.kind === 'refresh') mismatches.push(`${secret} was used for a call`)
    count(calls, `${claim.connector} ${claim.user}`)
    return claim.user
  }

  const refresh = (response: ServerResponse, slug: string, body: string): void => {
    const { kind, user, connector, renewed } = readSecret(
      new URLSearchParams(body).get('refresh_token') ?? '',
    )
    if (kind !== 'refresh' || connector !== slug)
      mismatches.push(`a refresh of ${connector} was sent to ${slug}`)
    const owner = `${connector} ${user}`
    if ((generations.get(owner) ?? 0) !== renewed) {
      mismatches.push(`${owner} was refreshed with a token that was used before`)
      return json(response, { error: 'invalid_grant' }, 400)
    }
    generations.set(owner, renewed + 1)
    count(refreshes, owner)
    json(response, {
      access_token: secretFor('access', user, connector, renewed + 1),
      refresh_token: secretFor('refresh', user, connector, renewed + 1),
      token_type: 'Bearer',
      expires_in: 3600,
    })
  }

  const handleMcp = (request: IncomingMessage, response: ServerResponse, slugs: string[], rpc: Rpc): void => {
    const secret = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const reply = (result: unknown, headers = {}) =>
      json(response, { jsonrpc: '2.0', id: rpc.id, result }, 200, headers)
    if (rpc.method === 'initialize') {
      const session = randomUUID()
      sessions.set(session, secret)
      const serverInfo = { name: 'witness', version: '1' }
      return reply(
        { protocolVersion: '2025-11-25', capabilities: {}, serverInfo },
        { 'mcp-session-id': session },
      )
    }
    const opened = sessions.get(String(request.headers['mcp-session-id']))
    if (opened !== undefined && opened !== secret)
      mismatches.push(`${secret} was sent in the session of ${opened}`)
    if (rpc.method === 'tools/list') return reply({ tools: [TOOL] })
    if (rpc.method !== 'tools/call') return void response.writeHead(rpc.id === undefined ? 202 : 404).end()
    const user = recordCall(secret, slugs, rpc.params?.arguments?.as ?? null)
    if (user === null) return void response.writeHead(401).end()
    return reply({ content: [{ type: 'text', text: user }] })
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const url = new URL(request.url ?? '/', 'http://localhost')
    const [, endpoint = '', slugs = ''] = url.pathname.split('/')
    if (endpoint === 'token') return refresh(response, slugs, body)
    if (endpoint === 'mcp')
      return handleMcp(request, response, slugs.split('+'), body ? (JSON.parse(body) as Rpc) : {})
    const secret = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const user = recordCall(secret, [slugs], url.searchParams.get('as'))
    return user === null ? json(response, { error: 'expired' }, 401) : json(response, { user })
  }

  const servers = await Promise.all(
    [0, 1].map(async () => {
      const server = createServer((request, response) => void answer(request, response))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const [first, second] = servers.map(server => `http://localhost:${(server.address() as AddressInfo).port}`)
  return {
    origins: [first as string, second as string],
    mismatches,
    calls,
    refreshes,
    rejectUpTo: (renewed, connector) => {
      isRejected = claim => claim.kind === 'access' && claim.renewed <= renewed && connector(claim.connector)
    },
    close: async () => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

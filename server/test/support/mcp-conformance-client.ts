import * as oauth from 'oauth4webapi'
import type { JsonObject } from '../../src/core/json/object.ts'
import { chooseRegistration } from '../../src/features/oauth/client-metadata.ts'
import { registerClient, type TokenEndpointAuthMethod } from '../../src/features/oauth/client-registration.ts'
import { clientSecretBasic } from '../../src/features/oauth/client-secret-basic.ts'
import { type DiscoveredServer, discoverAuthorization } from '../../src/features/oauth/discovery.ts'
import { callMcpTool } from '../../src/features/upstream/mcp-client/call-mcp-tool.ts'
import { inspectServer } from '../../src/features/upstream/mcp-client/inspect-server.ts'
import { createMcpSessions } from '../../src/features/upstream/mcp-client/sessions.ts'
import { vetTools } from '../../src/features/upstream/mcp-client/tool-definitions.ts'
import { allowLoopback, createEgress } from '../../src/platform/egress/egress.ts'

/**
 * The client that the official conformance suite runs: it lists the tools of the given server, calls each of them, and
 * authorizes if required. The authorization pages of the suite redirect immediately, so a plain request replaces the user.
 */
const REDIRECT = 'http://localhost:3000/callback'
const egress = createEgress({ [allowLoopback]: true })
const sessions = createMcpSessions()
const url = process.argv[2] ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  client_id?: string
  client_secret?: string
  toolCalls?: { name: string; arguments: JsonObject }[]
}

type Client = { id: string; auth: oauth.ClientAuth }

const obtainClient = async (discovered: DiscoveredServer): Promise<Client> => {
  const { client_id: id, client_secret: secret } = context
  if (id && secret) {
    const basic = discovered.token_endpoint_auth_methods_supported.includes('client_secret_basic')
    return { id, auth: basic ? clientSecretBasic(secret) : oauth.ClientSecretPost(secret) }
  }
  if (chooseRegistration(discovered, 'https://conformance-test.local') === 'metadata_document')
    return { id: 'https://conformance-test.local/client-metadata.json', auth: oauth.None() }
  const registered = await registerClient({ egress }, discovered, {
    redirectUri: REDIRECT,
    clientName: 'Carabiner',
    clientUri: 'http://localhost:3000',
  })
  return {
    id: registered.clientId,
    auth: clientAuth(registered.tokenEndpointAuthMethod, registered.clientSecret?.reveal() ?? ''),
  }
}

const clientAuth = (method: TokenEndpointAuthMethod, secret: string): oauth.ClientAuth => {
  switch (method) {
    case 'none':
      return oauth.None()
    case 'client_secret_basic':
      return clientSecretBasic(secret)
    case 'client_secret_post':
      return oauth.ClientSecretPost(secret)
  }
}

/** Previously requested scopes are requested again, because a token with fewer scopes would break earlier calls. */
const scopes = new Set<string>()

const authorize = async (challenge: string | null, more: string[] = []): Promise<string> => {
  const discovered = await discoverAuthorization({ egress }, { serverUrl: url, challenge })
  for (const scope of more.length > 0 ? more : discovered.scopes) scopes.add(scope)
  const client = await obtainClient(discovered)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const page = new URL(discovered.authorization_endpoint)
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: REDIRECT,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: discovered.resource,
    ...(scopes.size > 0 && { scope: [...scopes].join(' ') }),
  }))
    page.searchParams.set(name, value)
  const redirected = await fetch(page, { redirect: 'manual' })
  const server: oauth.AuthorizationServer = {
    issuer: discovered.issuer,
    token_endpoint: discovered.token_endpoint,
    authorization_response_iss_parameter_supported: discovered.authorization_response_iss_parameter_supported,
  }
  const oauthClient = { client_id: client.id }
  const options = {
    [oauth.customFetch]: (address: string, init?: RequestInit) => egress.fetch(address, init),
    [oauth.allowInsecureRequests]: true,
    additionalParameters: { resource: discovered.resource },
  }
  const parameters = oauth.validateAuthResponse(
    server,
    oauthClient,
    new URL(redirected.headers.get('location') ?? ''),
    state,
  )
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    oauthClient,
    client.auth,
    parameters,
    REDIRECT,
    verifier,
    options,
  )
  return (await oauth.processAuthorizationCodeResponse(server, oauthClient, response)).access_token
}

/** An example value of the type in the schema. */
const sample = (schema: JsonObject): unknown => {
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.type === 'object') return sampleArguments(schema)
  return { string: 'sample', integer: 5, number: 5, boolean: true, array: [] }[String(schema.type)] ?? null
}
const sampleArguments = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(([name, part]) => [
      name,
      sample(part),
    ]),
  )

const run = async (): Promise<void> => {
  let headers: Record<string, string> = {}
  let found = await inspectServer({ egress }, { url, headers })
  for (let tries = 0; found.kind === 'unauthorized' && tries < 3; tries++) {
    headers = { authorization: `Bearer ${await authorize(found.challenge)}` }
    found = await inspectServer({ egress }, { url, headers })
  }
  if (found.kind !== 'ready') throw new Error(JSON.stringify(found))
  const { tools, problems } = vetTools(found.tools)
  process.stderr.write(
    `${found.revision}: ${tools.map(tool => tool.name).join(', ')}\n${problems.join('\n')}\n`,
  )
  const calls =
    context.toolCalls ??
    tools.map(tool => ({ name: tool.name, arguments: sampleArguments(tool.inputSchema) }))
  for (const { name, arguments: args } of calls) {
    const tool = tools.find(candidate => candidate.upstreamName === name)
    if (!tool) continue
    const { revision } = found
    const call = () => {
      const target = { url, headers, revision, name: 'The server', sessionKey: JSON.stringify(headers) }
      return callMcpTool({ egress, sessions }, target, tool, args)
    }
    let answer = await call()
    if (answer.kind === 'insufficient_scope' || answer.kind === 'unauthorized') {
      const token =
        answer.kind === 'unauthorized' ? authorize(answer.challenge) : authorize(null, answer.scopes)
      headers = { authorization: `Bearer ${await token}` }
      answer = await call()
    }
    const outcome = answer.kind === 'failed' ? answer.refusal.message : JSON.stringify(answer)
    process.stderr.write(`${tool.name}: ${outcome}\n`)
  }
}

try {
  await run()
} catch (error) {
  process.stderr.write(`${String((error as Error).stack)}\n`)
  process.exitCode = 1
} finally {
  await sessions.stop()
  await egress.close()
}

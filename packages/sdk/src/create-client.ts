import { auditEntries } from './audit-entries.ts'
import { readBaseUrl } from './base-url.ts'
import { connectors, mcpConnectors } from './connectors.ts'
import { createFollow } from './event-stream.ts'
import { events } from './events.ts'
import { explain } from './explain.ts'
import { linkCustomization } from './link-customization.ts'
import { linkSessions, linkTokens, organizationAccounts } from './linking.ts'
import { members } from './members.ts'
import { apiKeys, callbackOrigins, organization } from './organization.ts'
import { registeredUsers } from './registered-users.ts'
import { sleep } from './retry.ts'
import { ruleViolations, securityRules } from './security-rules.ts'
import { createSend, type Runtime, type Settings } from './send.ts'
import { signIn } from './sign-in.ts'
import { toolCalls, usage } from './tool-calls.ts'
import { toolPacks } from './tool-packs.ts'
import { webhookDeliveries, webhookEndpoints } from './webhooks.ts'

export type ClientOptions = ConnectionOptions & (KeyOptions | HeaderOptions)

type KeyOptions = {
  /** The organization's production or test key. Use it only on a server, never in a browser. */
  apiKey: string
  headers?: undefined
}

type HeaderOptions = {
  apiKey?: undefined
  /** Sent with every request instead of an API key, for example by a page of the service that has a session cookie. */
  headers: Readonly<Record<string, string>>
}

type ConnectionOptions = {
  /** URL of your Carabiner service, such as `https://connect.example.com`. */
  baseUrl: string | URL
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Timeout of each attempt. Default: 30 seconds. */
  timeoutMs?: number | undefined
  /** Maximum number of retries of requests that are safe to repeat. Default: 2. */
  retries?: number | undefined
}

export type Client = ReturnType<typeof createClient>

/** Client for the whole API. The key is not a property of the client, so printing the client does not reveal it. */
export const createClient = (options: ClientOptions) => {
  const settings = readSettings(options)
  const send = createSend(settings, runtime)
  return {
    organization: organization(send),
    apiKeys: apiKeys(send),
    callbackOrigins: callbackOrigins(send),
    linkCustomization: linkCustomization(send),
    connectors: connectors(send),
    mcpConnectors: mcpConnectors(send),
    toolPacks: toolPacks(send),
    securityRules: securityRules(send),
    ruleViolations: ruleViolations(send),
    registeredUsers: registeredUsers(send),
    signIn: signIn(send),
    linkTokens: linkTokens(send),
    organizationAccounts: organizationAccounts(send),
    linkSessions: linkSessions(send),
    auditEntries: auditEntries(send),
    explain: explain(send),
    toolCalls: toolCalls(send),
    usage: usage(send),
    events: events(send, createFollow(settings, runtime)),
    members: members(send),
    webhookEndpoints: webhookEndpoints(send),
    webhookDeliveries: webhookDeliveries(send),
  }
}

const runtime: Runtime = {
  now: Date.now,
  random: Math.random,
  sleep,
  newKey: () => crypto.randomUUID(),
}

const readSettings = ({
  apiKey,
  headers,
  baseUrl,
  fetch = (...args) => globalThis.fetch(...args),
  timeoutMs = 30_000,
  retries = 2,
}: ClientOptions): Settings => {
  if (!(timeoutMs > 0)) throw new RangeError('timeoutMs must be greater than 0.')
  if (!Number.isInteger(retries) || retries < 0 || retries > 10)
    throw new RangeError('retries must be an integer from 0 to 10.')
  return {
    headers: headers ?? { authorization: `Bearer ${requireKey(apiKey)}` },
    baseUrl: readBaseUrl(baseUrl),
    fetch,
    timeoutMs,
    retries,
  }
}

/** The built-in fetch would quote a key that contains a line break in its error message. */
const requireKey = (apiKey: string | undefined): string => {
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey is missing or contains invalid characters. Copy the key again.')
  return apiKey
}

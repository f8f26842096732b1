import { auditEntries } from './audit-entries.ts'
import { readBaseUrl } from './base-url.ts'
import { connectors, mcpConnectors } from './connectors.ts'
import { linkCustomization } from './link-customization.ts'
import { linkSessions, linkTokens } from './linking.ts'
import { apiKeys, callbackOrigins, organization } from './organization.ts'
import { registeredUsers } from './registered-users.ts'
import { sleep } from './retry.ts'
import { ruleViolations, securityRules } from './security-rules.ts'
import { createSend, type Settings } from './send.ts'
import { toolCalls, usage } from './tool-calls.ts'
import { toolPacks } from './tool-packs.ts'

export type ClientOptions = {
  /** The organization's production or test key. It belongs on a server, never in a browser. */
  apiKey: string
  /** Where your Carabiner is: `https://connect.example.com`. */
  baseUrl: string | URL
  /** Instead of the runtime's own. */
  fetch?: typeof globalThis.fetch | undefined
  /** For each try: 30 seconds unless told. */
  timeoutMs?: number | undefined
  /** Further tries, where that can do no harm: 2 unless told. 0: none. */
  retries?: number | undefined
}

export type Client = ReturnType<typeof createClient>

/** The whole API. The key is in no property of the client, so that printing it shows nothing. */
export const createClient = (options: ClientOptions) => {
  const send = createSend(readSettings(options), {
    now: Date.now,
    random: Math.random,
    sleep,
    newKey: () => crypto.randomUUID(),
  })
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
    linkTokens: linkTokens(send),
    linkSessions: linkSessions(send),
    auditEntries: auditEntries(send),
    toolCalls: toolCalls(send),
    usage: usage(send),
  }
}

const readSettings = ({
  apiKey,
  baseUrl,
  fetch = (...given) => globalThis.fetch(...given),
  timeoutMs = 30_000,
  retries = 2,
}: ClientOptions): Settings => {
  // A key with a line break in it would be quoted in the error of the runtime's own fetch.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey is missing, or has characters that no key has. Copy it anew.')
  if (!(timeoutMs > 0)) throw new RangeError('timeoutMs is a number of milliseconds above 0.')
  if (!Number.isInteger(retries) || retries < 0 || retries > 10)
    throw new RangeError('retries is a whole number from 0 to 10.')
  return { apiKey, baseUrl: readBaseUrl(baseUrl), fetch, timeoutMs, retries }
}

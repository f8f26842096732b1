import { CarabinerError, type Client } from '@carabiner/sdk'
import { CircleAlert, KeyRound, type LucideIcon, Plug, ScrollText, User, Webhook, Wrench } from 'lucide-react'
import { clientFor, type Scope } from '../../api/client.ts'
import { isErrorCode } from '../../pages/logs/error-words.ts'
import type { Command } from './command-source.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const TRACE = /^[0-9a-f]{32}$/i
const DEBOUNCE_MS = 150

type Search = { text: string; api: Client; scope: Scope; signal: AbortSignal }
type Finder = (search: Search) => Promise<Command[]>

/** Finds whatever a pasted text may name. A finder that fails, or is not allowed to look, finds nothing. */
export const findResources = async (text: string, scope: Scope, signal: AbortSignal): Promise<Command[]> => {
  await pause(DEBOUNCE_MS, signal)
  const search = { text, api: clientFor(scope), scope, signal }
  const found = await Promise.all(findersOf(text).map(find => find(search).catch(() => [])))
  return found.flat()
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    setTimeout(() => (signal.aborted ? reject(signal.reason as Error) : resolve()), ms)
  })

const command = (
  { scope }: Search,
  path: string,
  fields: { label: string; group: string; icon: LucideIcon; hint?: string },
): Command => ({ ...fields, id: `found:${path}`, href: `/o/${scope.organization}/${scope.mode}${path}` })

const logs = (query: Record<string, string>): string =>
  `/logs?${new URLSearchParams({ range: '30d', ...query })}`

/** IDs whose kind is visible in the text. */
const byForm: Finder = async search => {
  const { text } = search
  const call = (label: string, query: Record<string, string>) =>
    command(search, logs(query), { label, group: 'Logs', icon: ScrollText, hint: text })
  if (/^req_\S+$/.test(text)) return [call('Calls in this request', { request: text })]
  if (TRACE.test(text)) return [call('Calls in this trace', { trace: text.toLowerCase() })]
  if (isErrorCode(text))
    return [
      command(search, logs({ error: text }), {
        label: `Calls with ${text}`,
        group: 'Errors',
        icon: CircleAlert,
      }),
    ]
  return []
}

/** A UUID may be a user, a call, a link session or a delivery. All are tried. */
const byUuid: Finder = async search => {
  const { text, api, signal } = search
  if (!UUID.test(text)) return []
  const id = text.toLowerCase()
  const found = await Promise.all([
    orNothing(
      api.registeredUsers.get(id, { signal }).then(user =>
        command(search, `/users?user=${user.id}`, {
          label: user.origin_user_name ?? user.origin_user_id,
          group: 'Registered Users',
          icon: User,
        }),
      ),
    ),
    orNothing(
      api.toolCalls.get(id, { signal }).then(call =>
        command(search, logs({ call: call.id }), {
          label: `Call to ${call.tool}`,
          group: 'Tool calls',
          icon: ScrollText,
        }),
      ),
    ),
    orNothing(
      api.linkSessions.get(id, { signal }).then(session =>
        command(search, `/users?user=${session.registered_user_id}`, {
          label: 'User of this link session',
          group: 'Link sessions',
          icon: User,
          hint: session.status,
        }),
      ),
    ),
    orNothing(
      api.webhookDeliveries.get(id, { signal }).then(delivery =>
        command(search, logs({ tab: 'deliveries', delivery: delivery.id }), {
          label: `Delivery of ${delivery.event_type}`,
          group: 'Webhook deliveries',
          icon: Webhook,
          hint: delivery.status,
        }),
      ),
    ),
  ])
  return found.flatMap(each => each ?? [])
}

const orNothing = (found: Promise<Command>): Promise<Command | null> =>
  found.catch((error: unknown) => {
    if (error instanceof CarabinerError) return null
    throw error
  })

const MAX_USERS = 5
const users: Finder = async search => {
  const { text, api, signal } = search
  const { data } = await api.registeredUsers.list({ search: text, limit: MAX_USERS }, { signal }).page()
  return data.map(user =>
    command(search, `/users?user=${user.id}`, {
      label: user.origin_user_name ?? user.origin_user_id,
      hint: user.email ?? user.origin_user_id,
      group: 'Registered Users',
      icon: User,
    }),
  )
}

const MAX_CONNECTORS = 3
const connectors: Finder = async search => {
  const { text, api, signal } = search
  const lower = text.toLowerCase()
  if (lower.includes('__'))
    return [
      command(search, logs({ tool: text }), { label: `Calls to ${text}`, group: 'Tools', icon: Wrench }),
    ]
  const found = (await api.connectors.list({}, { signal })).filter(
    ({ slug, name }) => slug.startsWith(lower) || name.toLowerCase().startsWith(lower),
  )
  return found.slice(0, MAX_CONNECTORS).map(({ slug, name }) =>
    command(search, logs({ connector: slug }), {
      label: `Calls to ${name}`,
      group: 'Connectors',
      icon: Plug,
    }),
  )
}

const KEY_END = /^(?:cb_(?:sk_live|sk_test|mcp)_)?(?:…|\.{3})?([0-9A-Za-z]*)$/

/** The last four characters of a key, as lists show it. Of a whole key, only these are compared or sent. */
const keyEnd = (text: string): string | null => {
  const [, end = ''] = KEY_END.exec(text) ?? []
  return end.length === 4 || (end.length > 4 && text.startsWith('cb_')) ? end.slice(-4) : null
}

const apiKeys: Finder = async search => {
  const { text, scope, signal } = search
  const end = keyEnd(text)
  if (end === null || text.startsWith('cb_mcp_')) return []
  // Keys of both modes are listed together.
  const api = clientFor({ ...scope, mode: 'production' })
  const found = (await api.apiKeys.list({ signal })).filter(({ hint }) => hint.endsWith(end))
  return found.map(({ name, hint }) =>
    command(search, '/settings/api-keys', { label: name, hint, group: 'API keys', icon: KeyRound }),
  )
}

const mcpKeys: Finder = async search => {
  const { text, api, signal } = search
  const end = keyEnd(text)
  if (end === null || text.startsWith('cb_sk_')) return []
  const found = await api.registeredUsers.mcpKeys.find(end, { signal })
  return found.map(({ name, hint, registered_user_id }) =>
    command(search, `/users?user=${registered_user_id}`, {
      label: name,
      hint,
      group: 'MCP keys',
      icon: KeyRound,
    }),
  )
}

/** A magic link, a link token, or a page of Link or My connections. It is sent in the body of a request. */
const links: Finder = async search => {
  const { text, api, signal } = search
  const { registered_user_id, link_session_id } = await api.linkSessions.find(text, { signal })
  const isSession = link_session_id !== null
  return [
    command(search, `/users?user=${registered_user_id}`, {
      label: isSession ? 'User of this link' : 'User of this link to My connections',
      group: isSession ? 'Link sessions' : 'Registered Users',
      icon: User,
      ...(isSession && { hint: link_session_id }),
    }),
  ]
}

/** Contains a secret, which must not be part of a URL: neither of a page nor of a request. */
const SECRET = /cb_(?:sk_live|sk_test|mcp|lnk|mlk|code|in|con)_|:\/\/|\/s\/|\/connections\//
const KEY = /^cb_(?:sk_live|sk_test|mcp)_/

const findersOf = (text: string): readonly Finder[] => {
  if (!SECRET.test(text)) return [byForm, byUuid, users, connectors, apiKeys, mcpKeys]
  return KEY.test(text) ? [apiKeys, mcpKeys] : [links]
}

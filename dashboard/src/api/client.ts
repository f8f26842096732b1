import { type Client, createClient } from '@carabiner/sdk'
import { fetchWithSession } from './fetch-with-session.ts'
import type { Mode } from './session.ts'
import { sessionGate } from './session-gate.ts'

export type Scope = { organization: string; mode: Mode }

const clients = new Map<string, Client>()

/** The API client of an organization and mode. The session cookie authenticates it. */
export const clientFor = ({ organization, mode }: Scope): Client => {
  const key = `${organization}/${mode}`
  const existing = clients.get(key)
  if (existing) return existing
  const client = createClient({
    baseUrl: window.location.origin,
    headers: { 'carabiner-organization': organization, 'carabiner-mode': mode },
    fetch: fetchWithSession(sessionGate),
  })
  clients.set(key, client)
  return client
}

import { setTimeout as delay } from 'node:timers/promises'
import type { ConnectorFile, LinkTokenRequest } from '@carabiner/contract'
import type { GrantView, LedgerEntry } from '@carabiner/sandbox'
import type { Browser } from 'playwright-core'
import { writeConnectors } from '../../server/test/support/listed-connectors.ts'
import { joinTestService, type TestService } from '../../server/test/support/test-service.ts'
import { type Application, startApplication } from './application.ts'
import { joinBrowser } from './browser.ts'

/** The service with its providers, an application that uses it, and a browser. */
export type World = {
  service: TestService
  application: Application
  browser: Browser
  /** Creates a user and a link. Default connector: Notes. */
  createLink: (body?: LinkTokenRequest) => Promise<{ userId: string; link: string }>
  /** Result of a call to Notes: the notes, or the `authenticate_meta`. */
  callNotes: (userId: string) => Promise<NotesResult>
  linkedConnectors: (userId: string) => Promise<string[]>
  /** Status of the user's attempts at the provider, oldest first. */
  attempts: (userId: string) => Promise<(string | null)[]>
  eventTypes: (userId: string) => Promise<string[]>
  /** Number of active grants at the provider. */
  activeGrants: () => Promise<number>
  ledger: (kind: LedgerEntry['kind']) => LedgerEntry[]
  stop: () => Promise<void>
}

export type NotesResult = { type?: string; magic_link_url?: string; notes?: unknown[] }

export const startWorld = async (connectors: ConnectorFile[] = []): Promise<World> => {
  const { folder, remove } = writeConnectors(connectors)
  const [service, application, { browser, leave }] = await Promise.all([
    joinTestService('postgres', connectors.length > 0 ? { CONNECTORS_DIRECTORY: folder } : {}),
    startApplication(),
    joinBrowser(),
  ])
  await service.allowOrigin(application.origin)
  const { sandbox } = service
  return {
    service,
    application,
    browser,
    createLink: async (body = { connector: 'sandbox-notes' }) => {
      const { id: userId } = await service.createUser()
      return { userId, link: (await service.mint(userId, body)).magic_link_url }
    },
    callNotes: async userId => {
      const call = { name: 'sandbox-notes__list_notes', arguments: { limit: 2 } }
      const { body } = await service.mcp<{ result: { structuredContent: NotesResult } }>(
        userId,
        'tools/call',
        call,
      )
      return body.result.structuredContent
    },
    linkedConnectors: async userId =>
      (await service.call<{ linked_connectors: string[] }>('GET', `/api/v1/registered-users/${userId}`)).body
        .linked_connectors,
    attempts: async userId =>
      (
        await service.query<{ outcome: string | null }>(
          `select a.outcome from link_attempts a join link_sessions s on s.organization_id = a.organization_id and s.id = a.session_id
           where s.registered_user_id = $1 order by a.started_at`,
          [userId],
        )
      ).map(({ outcome }) => outcome),
    eventTypes: async userId => (await service.events(userId)).map(({ type }) => type),
    activeGrants: async () => {
      const response = await fetch(`${sandbox.url}/_control/grants`)
      const { grants } = (await response.json()) as { grants: GrantView[] }
      return grants.filter(({ active }) => active).length
    },
    ledger: kind => sandbox.ledger.filter(entry => entry.kind === kind),
    stop: async () => {
      await leave()
      await Promise.all([service.stop(), application.stop()])
      remove()
    },
  }
}

/** Two minutes at one attempt per 100 ms. Only a test that hangs reaches it. */
const MAX_ATTEMPTS = 1200

/** Waits for an asynchronous effect of another part of the system. */
export const until = async (condition: string, check: () => boolean | Promise<boolean>): Promise<void> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (await check()) return
    await delay(100)
  }
  throw new Error(`timed out waiting until ${condition}`)
}

import { createBrowserUser, linkNotes } from './browser-user.ts'
import { startPlainMcp } from './plain-mcp.ts'
import { liftPageLimits, type TestService } from './test-service.ts'

/** How much happens at once. `rounds`: repetitions of each of the concurrent activities. */
export type RaceSize = { rounds: number; callers: number }

export type RaceOutcome = {
  /** Calls that reached a provider with the token of an account that they did not name. */
  wrong: string[]
  /** Calls that reached a provider. */
  reached: number
  /** Answers to calls by code: `success`, the error, or the reason to connect. */
  answers: Record<string, number>
  /** Completed re-links, replacements and deletions. */
  changes: number
}

const ACCOUNTS = ['ana', 'ben'] as const
type Account = (typeof ACCOUNTS)[number]
/** Stays linked, so that the user always has several accounts and a call without a name is never made. */
const THIRD = 'constant'
const SLUG = 'raced-server'
const NOTES = 'sandbox-notes'

/**
 * Calls that name one of two accounts run while the accounts are linked again, replaced, renamed and deleted, and while their tokens
 * expire. The MCP server records the secret that arrived with each call; the notes belong to one account each.
 */
export const raceAccounts = async (t: TestService, { rounds, callers }: RaceSize): Promise<RaceOutcome> => {
  liftPageLimits(t)
  const server = await startPlainMcp()
  server.tools = [{ name: 'echo', description: 'Echoes.', inputSchema: { type: 'object' } }]
  const connector = { slug: SLUG, name: 'Raced', url: server.url, authentication: 'user_secret' }
  const created = await t.call('POST', '/api/v1/connectors', { body: connector })
  if (created.status !== 201) throw new Error(created.text)
  const { id: userId } = await t.createUser()
  const outcome: RaceOutcome = { wrong: [], reached: 0, answers: {}, changes: 0 }
  const credentialPath = `/api/v1/registered-users/${userId}/credentials`
  let secrets = 0

  const linkServer = async (label: string): Promise<void> => {
    const browser = createBrowserUser()
    const body = { connector: SLUG, account: 'add', account_label: label } as const
    const form = await browser.open((await t.mint(userId, body)).magic_link_url)
    const secret = `${label}-${++secrets}`
    await browser.submit(form, /\/api-key$/, { secret })
  }
  const find = async (label: string, slug: string): Promise<string | undefined> =>
    (await t.call('GET', credentialPath)).body.data.find(
      (each: any) => each.label === label && each.connector_slug === slug && each.status !== 'revoked',
    )?.credential_id
  const replaceSecret = async (label: string): Promise<void> => {
    const credential_id = await find(label, SLUG)
    if (!credential_id) return
    const minted = await t.call('POST', `/api/v1/registered-users/${userId}/link-token`, {
      body: { connector: SLUG, account: 'replace', credential_id },
    })
    // Deleted in the meantime.
    if (minted.status === 404) return
    const browser = createBrowserUser()
    const form = await browser.open(minted.body.magic_link_url)
    const page = await browser.submit(form, /\/api-key$/, { secret: `${label}-${++secrets}` })
    // Deleted while Link was open: the question is left without an answer.
    if (/\/account/.test(page.url)) await browser.submit(page, /\/cancel$/)
  }
  const linkNotesOf = async (account: Account): Promise<void> => {
    const body = { connector: NOTES, account: 'add' } as const
    await linkNotes(createBrowserUser(), (await t.mint(userId, body)).magic_link_url, { account })
  }
  const remove = async (label: string, slug: string): Promise<void> => {
    const id = await find(label, slug)
    if (id) await t.call('DELETE', `${credentialPath}/${id}`)
  }

  const count = (answer: string): void => {
    outcome.answers[answer] = (outcome.answers[answer] ?? 0) + 1
  }
  const call = async (name: string, args: object) => {
    const { body } = await t.mcp(userId, 'tools/call', { name, arguments: args })
    const content = body.result?.structuredContent ?? {}
    const failed = content.error?.code ?? (content.type === 'authenticate_meta' ? content.reason : null)
    count(failed ?? (body.result ? 'success' : 'protocol_error'))
    return failed ? null : body.result
  }
  const callServer = (account: string, n: number) =>
    call(`${SLUG}__echo`, { carabiner_account: account, wanted: account, n })
  const callWithout = (n: number) => call(`${SLUG}__echo`, { wanted: 'nothing', n })
  const callNotes = async (account: Account): Promise<void> => {
    const result = await call(`${NOTES}__list_notes`, { carabiner_account: emailOf(account) })
    if (!result) return
    outcome.reached++
    const text = JSON.stringify(result)
    if (text !== notes[account]) outcome.wrong.push(`notes of ${account}: ${text.slice(0, 200)}`)
  }

  await linkServer(THIRD)
  const notes = {} as Record<Account, string>
  for (const account of ACCOUNTS) {
    await linkServer(account)
    await linkNotesOf(account)
    notes[account] = JSON.stringify(
      await call(`${NOTES}__list_notes`, { carabiner_account: emailOf(account) }),
    )
  }
  if (notes.ana === notes.ben) throw new Error('both accounts have the same notes')
  server.calls.length = 0

  const finished = new AbortController()
  const change = async (what: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      await what(round)
      outcome.changes++
    }
  }
  const changes = Promise.all([
    change(round => replaceSecret(ACCOUNTS[round % 2] as Account)),
    change(async round => {
      const account = ACCOUNTS[(round + 1) % 2] as Account
      await remove(account, SLUG)
      await linkServer(account)
    }),
    change(async round => {
      const account = ACCOUNTS[round % 2] as Account
      await remove(emailOf(account), NOTES)
      await linkNotesOf(account)
    }),
    change(async round => {
      t.sandbox.endAccessTokens()
      await linkNotesOf(ACCOUNTS[(round + 1) % 2] as Account)
    }),
  ]).finally(() => {
    finished.abort()
  })
  const caller = async (first: number): Promise<void> => {
    for (let n = first; !finished.signal.aborted; n++) {
      const account = ACCOUNTS[n % 2] as Account
      await callServer(account, n)
      if (n % 5 === 0) await callWithout(n)
      await callNotes(account)
    }
  }
  await Promise.all([changes, ...Array.from({ length: callers }, (_, n) => caller(n))])

  for (const { args, headers } of server.calls) {
    const { wanted } = args as { wanted: string }
    outcome.reached++
    if (!String(headers.authorization).includes(` ${wanted}-`))
      outcome.wrong.push(`call for ${wanted} with ${headers.authorization}`)
  }
  await server.stop()
  return outcome
}

const emailOf = (account: Account): string => `${account}@example.com`

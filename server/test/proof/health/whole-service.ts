import { HOUR, MINUTE, SECOND } from '../../../src/core/duration.ts'
import { recheckRefused } from '../../../src/features/credentials/health/recheck-refused.ts'
import { reportAtRisk } from '../../../src/features/credentials/health/report-at-risk.ts'
import { createBrowserUser, linkNotes } from '../../support/browser-user.ts'
import type { TestService } from '../../support/test-service.ts'
import { createRandom } from './random.ts'

type Connector = 'sandbox-notes' | 'sandbox-vault'
type Account = { userId: string; connector: Connector; isRevoked: boolean; endsSoon: boolean }

export type ServiceRun = {
  calls: number
  refused: number
  revoked: number
  /** Accounts whose end was announced. */
  announced: number
  problems: string[]
}

const TOOLS: Record<Connector, string> = {
  'sandbox-notes': 'sandbox-notes__list_notes',
  'sandbox-vault': 'sandbox-vault__list_items',
}
const TARGETS = { 'sandbox-notes': 'notes', 'sandbox-vault': 'vault' } as const
const ALWAYS = 1_000_000

/**
 * Accounts of a running service, whose clock is moved: outages in which the vendor answers 401 or 503 to everyone, a vendor that answers 401 to
 * some requests, known ends, which are announced, and grants that are revoked. Only those may end.
 */
export const runThroughService = async (
  t: TestService,
  { accounts: count, seed = 1 }: { accounts: number; seed?: number },
): Promise<ServiceRun> => {
  const random = createRandom(seed)
  const run: ServiceRun = { calls: 0, refused: 0, revoked: 0, announced: 0, problems: [] }
  const accounts: Account[] = []
  for (let index = 0; index < count; index++)
    accounts.push(await linkAccount(t, index % 3 === 2 ? 'sandbox-vault' : 'sandbox-notes'))

  const call = async ({ userId, connector }: Account): Promise<any> => {
    const params = { name: TOOLS[connector], arguments: {} }
    const { structuredContent } = (await t.mcp(userId, 'tools/call', params)).body.result
    run.calls++
    if (structuredContent.error) run.refused++
    return structuredContent
  }
  /** Moves the clock in steps. In each, some accounts are called and the job runs. */
  const pass = async (duration: number, step: number): Promise<void> => {
    for (let passed = 0; passed < duration; passed += step) {
      await t.moveClock(step)
      await recheckRefused(t.service.features)
      await reportAtRisk(t.service.features)
      for (const account of accounts) if (!account.isRevoked && random() < 0.2) await call(account)
    }
  }
  const fault = (status: number, times = ALWAYS): void => {
    for (const target of Object.values(TARGETS))
      t.sandbox.script({ target, behavior: 'status', status, times })
  }
  const outage = async (status: number, duration: number, step: number): Promise<void> => {
    fault(status)
    await pass(duration, step)
    t.sandbox.clearFaults()
    await pass(2 * step, step)
  }

  await outage(401, 40 * MINUTE, 10 * MINUTE)
  await outage(503, 3 * HOUR, HOUR)
  await outage(401, 9 * HOUR, HOUR)
  for (let day = 0; day < 3; day++) {
    fault(401, Math.ceil(count / 10))
    await pass(24 * HOUR, 8 * HOUR)
    t.sandbox.clearFaults()
  }

  // A fifth of the accounts has a known end. Five days pass, and more than a day before it is over, each is announced once.
  for (const [index, account] of accounts.entries()) {
    account.endsSoon = index % 5 === 0
    if (account.endsSoon)
      await t.query(
        `update credentials set ends_at = app_now() + interval '6 days 6 hours', linked_at = app_now() - interval '80 days'
         where registered_user_id = $1`,
        [account.userId],
      )
  }
  await pass(5 * 24 * HOUR, 12 * HOUR)
  for (const { userId, endsSoon } of accounts) {
    const events = await t.query(
      `select from events where organization_id = $1 and registered_user_id = $2 and type = 'credential.at_risk' and payload ->> 'reason' = 'expires'`,
      [t.organization.id, userId],
    )
    const announced = events.length
    run.announced += announced
    if (announced !== (endsSoon ? 1 : 0)) run.problems.push(`an end was announced ${announced} times`)
  }
  await t.query('update credentials set ends_at = null where organization_id = $1', [t.organization.id])

  const signedIn = accounts.filter(({ connector }) => connector === 'sandbox-notes')
  for (const account of signedIn.filter((_, index) => index % 5 === 0)) {
    account.isRevoked = true
    run.revoked++
    await t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [
      account.userId,
    ])
    t.sandbox.script({ target: 'token', behavior: 'status', status: 400, body: { error: 'invalid_grant' } })
    const { type, reason } = await call(account)
    if (type !== 'authenticate_meta' || reason !== 'expired')
      run.problems.push(`a revoked grant was answered with ${type} ${reason}`)
    t.sandbox.clearFaults()
  }
  await pass(2 * HOUR + SECOND, HOUR)
  run.problems.push(...(await wrongStates(t, accounts)))
  return run
}

const linkAccount = async (t: TestService, connector: Connector): Promise<Account> => {
  const { id: userId } = await t.createUser()
  const browser = createBrowserUser()
  const { magic_link_url } = await t.mint(userId, { Connector: connector })
  if (connector === 'sandbox-notes') await linkNotes(browser, magic_link_url)
  else {
    const form = await browser.open(magic_link_url)
    await browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
  }
  return { userId, connector, isRevoked: false, endsSoon: false }
}

const wrongStates = async (t: TestService, accounts: Account[]): Promise<string[]> => {
  const rows = await t.query(
    'select registered_user_id, status, refused_since from credentials where organization_id = $1',
    [t.organization.id],
  )
  const states = new Map(rows.map(row => [row.registered_user_id, row]))
  return accounts.flatMap(({ userId, connector, isRevoked }) => {
    const { status, refused_since: refusedSince } = states.get(userId) ?? {}
    const expected = isRevoked ? 'needs_reauth' : 'active'
    if (status !== expected) return [`a credential of ${connector} is ${status}, not ${expected}`]
    return !isRevoked && refusedSince !== null ? [`a credential of ${connector} has not recovered`] : []
  })
}

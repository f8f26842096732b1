import { rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { prepareTemplates } from '../server/test/support/databases.ts'
import type { Node } from '../server/test/support/processes.ts'
import { callAtOnce } from '../server/test/support/refresh/herd.ts'
import { openRefreshStage, type RefreshStage } from '../server/test/support/refresh/stage.ts'
import {
  INVALID_GRANT,
  type TokenFault,
  takeOver,
  UNAVAILABLE,
} from '../server/test/support/refresh/takeover.ts'
import { ensureTools } from './machine.ts'
import { startCluster } from './postgres-cluster.ts'

/**
 * `npm run proof:refresh`: three processes on a PostgreSQL with durable storage. First, rounds of two hundred concurrent calls;
 * then the lease holder is stopped for a minute in each state of its request. Takes about six minutes.
 */
const CALLERS = Number(process.env.CALLERS ?? 200)
const USERS = Number(process.env.USERS ?? 40)
const ROUNDS = Number(process.env.ROUNDS ?? 10)
const STOPPED_SECONDS = Number(process.env.STOPPED_SECONDS ?? 60)

const print = (line: string): void => void process.stdout.write(`${line}\n`)
// The cluster's child process does not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)
const problems: string[] = []

const expect = (what: string, actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected))
    problems.push(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
}

type RefreshCase = { title: string; tokenState: 'expired' | 'revoked'; fault?: TokenFault; rounds?: number }

const REFRESH_CASES: RefreshCase[] = [
  { title: 'the token has expired', tokenState: 'expired', rounds: ROUNDS },
  {
    title: 'the provider takes three seconds',
    tokenState: 'expired',
    fault: { behavior: 'slow', delay_ms: 3000 },
  },
  { title: 'the provider returns 503 once', tokenState: 'expired', fault: UNAVAILABLE },
  { title: 'the provider has revoked the access token', tokenState: 'revoked', rounds: ROUNDS },
]

const runRefreshCase = async (
  stage: RefreshStage,
  users: string[],
  refreshCase: RefreshCase,
): Promise<void> => {
  for (let round = 0; round < (refreshCase.rounds ?? 1); round++) {
    if (refreshCase.tokenState === 'expired') await stage.expire(users)
    else stage.sandbox.endAccessTokens()
    if (refreshCase.fault) stage.sandbox.script({ target: 'token', ...refreshCase.fault })
    const { outcomes, refreshes, events, milliseconds } = await callAtOnce(stage, { users, callers: CALLERS })
    const title = `${CALLERS} callers, ${users.length} credentials, ${refreshCase.title}`
    if (round === 0)
      print(
        `${title}: ${JSON.stringify(outcomes)}, refreshes ${JSON.stringify(refreshes)}, ${milliseconds} ms`,
      )
    expect(title, outcomes, { notes: CALLERS })
    expect(title, [refreshes.ok, refreshes.refused, events], [users.length, 0, users.length])
  }
  // This call would fail if the token family had been revoked.
  await stage.expire(users)
  for (const user of users) expect('a later refresh', await stage.call(stage.fleet.first, user), 'notes')
}

type TakeoverCase = {
  title: string
  stoppedWhen: 'received' | 'processed'
  tokenFaults: [TokenFault, ...TokenFault[]]
  /** Outcomes of the calls at the stopped holder and at the other process, and the resulting status of the credential. */
  ends: [first: string, second: string, status: string, version: number]
  /** Whether a later call succeeds, because the token family is still valid. */
  isLinkKept: boolean
}

const LATE: TokenFault = { behavior: 'late', delay_ms: 1000 }
const TAKEOVER_CASES: TakeoverCase[] = [
  {
    title: 'the request of the holder was not processed; the other process refreshed',
    stoppedWhen: 'received',
    tokenFaults: [{ behavior: 'hang' }],
    ends: ['notes', 'notes', 'active', 2],
    isLinkKept: true,
  },
  {
    title:
      'the holder had its response; the provider was unavailable to the other. The late write is accepted',
    stoppedWhen: 'processed',
    tokenFaults: [LATE, UNAVAILABLE, UNAVAILABLE],
    ends: ['notes', 'error: third_party_unavailable', 'active', 2],
    isLinkKept: true,
  },
  {
    title:
      'the holder had its response; the other was rejected, the token family is valid. The late write is verified and accepted',
    stoppedWhen: 'processed',
    tokenFaults: [LATE, INVALID_GRANT],
    ends: ['notes', 'link: expired', 'active', 2],
    isLinkKept: true,
  },
  {
    title:
      'the holder had its response; the other reused the token, and the provider revoked the family. The link is lost',
    stoppedWhen: 'processed',
    tokenFaults: [LATE],
    ends: ['link: expired', 'link: expired', 'needs_reauth', 1],
    isLinkKept: false,
  },
]

const runTakeoverCase = async (stage: RefreshStage, takeoverCase: TakeoverCase): Promise<void> => {
  const [other, holder] = stage.nodes as [Node, Node]
  const expireLease = () => new Promise<void>(resolve => setTimeout(resolve, STOPPED_SECONDS * 1000))
  const { first, second, during, end, userId } = await takeOver(stage, {
    ...takeoverCase,
    holder,
    other,
    expireLease,
  })
  print(`stopped for ${STOPPED_SECONDS} s: ${takeoverCase.title}`)
  print(
    `  call at the holder: ${first}; at the other: ${second}; credential: ${end.status}, version ${end.version}, fence ${end.fence}`,
  )
  expect(takeoverCase.title, [first, second, end.status, end.version], takeoverCase.ends)
  expect(takeoverCase.title, [during.fence, end.leased], [2, false])
  await stage.expire([userId])
  expect(
    `${takeoverCase.title}: a later call`,
    await stage.call(other, userId),
    takeoverCase.isLinkKept ? 'notes' : 'link: expired',
  )
}

const prove = async (): Promise<void> => {
  const stage = await openRefreshStage({ nodes: 3 })
  try {
    const users: string[] = []
    while (users.length < USERS) users.push(await stage.linkUser())
    for (const refreshCase of REFRESH_CASES) await runRefreshCase(stage, users.slice(0, 1), refreshCase)
    await runRefreshCase(stage, users, {
      title: 'all tokens have expired',
      tokenState: 'expired',
      rounds: ROUNDS,
    })
    for (const takeoverCase of TAKEOVER_CASES) await runTakeoverCase(stage, takeoverCase)
  } finally {
    await stage.close()
  }
}

ensureTools()
const cluster = await startCluster()
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
process.env.TEST_PGLITE_TEMPLATE = pgliteTemplate
await prove().catch((error: Error) => problems.push(String(error.stack ?? error)))
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(awake)
for (const problem of problems) print(`✖ ${problem}`)
if (problems.length === 0)
  print('✔ one refresh per credential and round, no failed call, and no avoidable loss of a token')
process.exit(problems.length === 0 ? 0 : 1)

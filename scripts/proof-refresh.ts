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
const awake = setInterval(() => undefined, 1000)
const problems: string[] = []

const expect = (what: string, actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected))
    problems.push(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
}

type Meeting = { title: string; due: 'expired' | 'ended early'; fault?: TokenFault; rounds?: number }

const MEETINGS: Meeting[] = [
  { title: 'the token has expired', due: 'expired', rounds: ROUNDS },
  {
    title: 'the third party takes three seconds',
    due: 'expired',
    fault: { behavior: 'slow', delay_ms: 3000 },
  },
  { title: 'the third party says 503 once', due: 'expired', fault: UNAVAILABLE },
  { title: 'the third party has ended the token early', due: 'ended early', rounds: ROUNDS },
]

const meet = async (stage: RefreshStage, users: string[], meeting: Meeting): Promise<void> => {
  for (let round = 0; round < (meeting.rounds ?? 1); round++) {
    if (meeting.due === 'expired') await stage.expire(users)
    else stage.sandbox.endAccessTokens()
    if (meeting.fault) stage.sandbox.script({ target: 'token', ...meeting.fault })
    const { outcomes, refreshes, events, milliseconds } = await callAtOnce(stage, { users, callers: CALLERS })
    const title = `${CALLERS} callers, ${users.length} credentials, ${meeting.title}`
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

type Stop = {
  title: string
  stoppedWhen: 'received' | 'processed'
  tokenFaults: [TokenFault, ...TokenFault[]]
  /** Outcomes of the calls at the stopped holder and at the other process, and the resulting status of the credential. */
  ends: [first: string, second: string, status: string, version: number]
  lives: boolean
}

const LATE: TokenFault = { behavior: 'late', delay_ms: 1000 }
const STOPS: Stop[] = [
  {
    title: 'its request had come to nothing; the other refreshed',
    stoppedWhen: 'received',
    tokenFaults: [{ behavior: 'hang' }],
    ends: ['notes', 'notes', 'active', 2],
    lives: true,
  },
  {
    title: 'it had its answer; the other found the third party out. The late write is taken',
    stoppedWhen: 'processed',
    tokenFaults: [LATE, UNAVAILABLE, UNAVAILABLE],
    ends: ['notes', 'error: third_party_unavailable', 'active', 2],
    lives: true,
  },
  {
    title:
      'it had its answer; the other was refused, and the family lives. The late write is proven and taken',
    stoppedWhen: 'processed',
    tokenFaults: [LATE, INVALID_GRANT],
    ends: ['notes', 'link: expired', 'active', 2],
    lives: true,
  },
  {
    title:
      'it had its answer; the other spent the token again, and the third party ended the family. The link is lost',
    stoppedWhen: 'processed',
    tokenFaults: [LATE],
    ends: ['link: expired', 'link: expired', 'needs_reauth', 1],
    lives: false,
  },
]

const stop = async (stage: RefreshStage, scene: Stop): Promise<void> => {
  const [other, holder] = stage.nodes as [Node, Node]
  const expireLease = () => new Promise<void>(resolve => setTimeout(resolve, STOPPED_SECONDS * 1000))
  const { first, second, during, end, userId } = await takeOver(stage, {
    ...scene,
    holder,
    other,
    expireLease,
  })
  print(`stopped for ${STOPPED_SECONDS} s: ${scene.title}`)
  print(
    `  its caller: ${first}; the other's: ${second}; then ${end.status}, version ${end.version}, fence ${end.fence}`,
  )
  expect(scene.title, [first, second, end.status, end.version], scene.ends)
  expect(scene.title, [during.fence, end.leased], [2, false])
  await stage.expire([userId])
  expect(
    `${scene.title}: a later call`,
    await stage.call(other, userId),
    scene.lives ? 'notes' : 'link: expired',
  )
}

const prove = async (): Promise<void> => {
  const stage = await openRefreshStage({ nodes: 3 })
  try {
    const users: string[] = []
    while (users.length < USERS) users.push(await stage.linkUser())
    for (const meeting of MEETINGS) await meet(stage, users.slice(0, 1), meeting)
    await meet(stage, users, { title: 'all of them expired', due: 'expired', rounds: ROUNDS })
    for (const scene of STOPS) await stop(stage, scene)
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
  print('✔ one refresh for all, no caller failed, and no token was lost that could be kept')
process.exit(problems.length === 0 ? 0 : 1)

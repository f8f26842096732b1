import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { callAtOnce, type Herd } from '../support/refresh/herd.ts'
import { openRefreshStage, type RefreshStage } from '../support/refresh/stage.ts'

const CALLERS = 200
const USERS = 6

describe('200 concurrent calls on three processes with an expired token', () => {
  let stage: RefreshStage
  let ana: string
  before(async () => {
    stage = await openRefreshStage({ nodes: 3 })
    ana = await stage.linkUser()
  })
  afterEach(() => stage.sandbox.clearFaults())
  after(() => stage.close())

  const herd = (users: string[]): Promise<Herd> => callAtOnce(stage, { users, callers: CALLERS })
  const allSucceed = ({ outcomes, refreshes, events }: Herd, expected: number): void => {
    assert.deepEqual(outcomes, { notes: CALLERS })
    assert.deepEqual([refreshes.ok, refreshes.refused], [expected, 0])
    assert.equal(events, expected)
  }
  /** A revoked token family would reject this refresh. */
  const assertFamilyValid = async (userId: string): Promise<void> => {
    await stage.expire([userId])
    stage.takeRefreshes()
    assert.equal(await stage.call(stage.fleet.first, userId), 'notes')
    assert.deepEqual(
      stage.takeRefreshes().map(({ outcome }) => outcome),
      ['ok'],
    )
  }

  it('refresh once, also at a slow provider, and the token family stays valid', async () => {
    stage.sandbox.script({ target: 'token', behavior: 'slow', delay_ms: 1000 })
    await stage.expire([ana])
    const { version } = await stage.credential(ana)
    allSucceed(await herd([ana]), 1)
    assert.equal((await stage.credential(ana)).version, version + 1)
    await assertFamilyValid(ana)
  })

  it('refresh each credential once', async () => {
    const users = [ana]
    while (users.length < USERS) users.push(await stage.linkUser())
    await stage.expire(users)
    allSucceed(await herd(users), USERS)
    for (const user of users) assert.equal((await stage.credential(user)).leased, false)
  })

  it('a single provider error is retried once, and no caller notices', async () => {
    stage.sandbox.script({ target: 'token', behavior: 'status', status: 503 })
    await stage.expire([ana])
    const found = await herd([ana])
    allSucceed(found, 1)
    assert.equal(found.refreshes.fault, 1)
    await assertFamilyValid(ana)
  })

  it('an unavailable provider: few attempts, every caller gets a retryable error, no token is lost', async () => {
    stage.sandbox.script({ target: 'token', behavior: 'status', status: 503, times: 1000 })
    await stage.expire([ana])
    const { version } = await stage.credential(ana)
    const { outcomes, refreshes, events } = await herd([ana])
    assert.deepEqual(outcomes, { 'error: third_party_unavailable': CALLERS })
    assert.ok(refreshes.fault < 20, `${refreshes.fault} requests for ${CALLERS} callers`)
    assert.equal(events, 0)
    const { status, leased, ...rest } = await stage.credential(ana)
    assert.deepEqual([status, leased, rest.version], ['active', false, version])
    stage.sandbox.clearFaults()
    await assertFamilyValid(ana)
  })

  it('a token that the provider revoked early is refreshed once', async () => {
    stage.sandbox.endAccessTokens()
    allSucceed(await herd([ana]), 1)
    await assertFamilyValid(ana)
  })
})

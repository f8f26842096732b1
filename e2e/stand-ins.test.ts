import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { HOUR } from '../server/src/core/duration.ts'
import { revokeDueTokens } from '../server/src/features/credentials/revoke-tokens.ts'
import { eventually } from '../server/test/support/eventually.ts'
import { githubCases } from './stand-ins/github.ts'
import { googleCases } from './stand-ins/google.ts'
import { linearCases } from './stand-ins/linear.ts'
import { microsoftCases } from './stand-ins/microsoft.ts'
import { oktaCases } from './stand-ins/okta.ts'
import { slackCases } from './stand-ins/slack.ts'
import { createVisitor } from './support/browser.ts'
import {
  type AnyJson,
  continueToStandIn,
  denyAtStandIn,
  issuedTokens,
  type LinkedConnector,
  type StandInCase,
  signInAtStandIn,
  type Tokens,
} from './support/stand-in-case.ts'
import { type StandInWorld, startStandIns } from './support/stand-ins.ts'

const cases: StandInCase[] = [
  ...githubCases,
  ...slackCases,
  ...googleCases,
  ...linearCases,
  ...microsoftCases,
  ...oktaCases,
]

let world: StandInWorld
before(async () => {
  world = await startStandIns([...new Set(cases.map(({ vendor }) => vendor))])
})
after(() => world?.stop())

/** The registered user of each test case. */
const users = new Map<StandInCase, string>()
const userOf = (standInCase: StandInCase): string => users.get(standInCase) ?? ''

const at = (standInCase: StandInCase, rest: string): string =>
  `/api/v1/registered-users/${userOf(standInCase)}/${rest}`
const credentialsOf = async (standInCase: StandInCase): Promise<AnyJson[]> =>
  (await world.service.call('GET', at(standInCase, 'credentials'))).body.data
const latestTokens = (standInCase: StandInCase): Tokens => {
  const tokens = issuedTokens(world.standInOf(standInCase.vendor), standInCase).at(-1)
  assert.ok(tokens, 'the stand-in has issued tokens')
  return tokens
}

const callTool = async (standInCase: StandInCase, tool: string, args = {}): Promise<AnyJson> => {
  const call = { name: `${standInCase.slug}__${tool}`, arguments: args }
  return (await world.service.mcp(userOf(standInCase), 'tools/call', call)).body.result
}

const linkedFor = (test: TestContext, standInCase: StandInCase): LinkedConnector => {
  const standIn = world.standInOf(standInCase.vendor)
  const call: LinkedConnector['call'] = async (tool, args) => {
    const { isError, structuredContent } = await callTool(standInCase, tool, args)
    assert.equal(isError, false, `${tool}: ${JSON.stringify(structuredContent)}`)
    assert.notEqual(structuredContent.type, 'authenticate_meta', `${tool}: ${structuredContent.message}`)
    return structuredContent
  }
  return {
    standIn,
    call,
    callAfterGrant: async (tool, args) => {
      const { structuredContent: meta } = await callTool(standInCase, tool, args)
      assert.deepEqual([meta.type, meta.reason], ['authenticate_meta', 'insufficient_scope'], tool)
      const { page } = await createVisitor(world.browser, test)
      await page.goto(meta.magic_link_url)
      await continueToStandIn(page, standInCase)
      await signInAtStandIn(page, standInCase)
      return call(tool, args)
    },
    fetchDirectly: async (path, init) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${latestTokens(standInCase).access}`)
      return (await fetch(standIn.directUrl + path, { ...init, headers })).json()
    },
  }
}

// Linking mostly waits for responses, and each test case has its own user and data.
describe('connectors against stand-ins', { concurrency: 3 }, () => {
  for (const standInCase of cases) {
    const { name, slug, account, denial, useTools } = standInCase
    describe(name, { concurrency: 1 }, () => {
      const denied = denial ? ', and stores nothing after a denied consent' : ''
      it(`links the account that signed in${denied}`, async test => {
        const { id } = await world.service.createUser()
        users.set(standInCase, id)
        const { page, browserErrors } = await createVisitor(world.browser, test)
        await page.goto((await world.service.mint(id, { connector: slug })).magic_link_url)
        if (denial) {
          await continueToStandIn(page, standInCase)
          await denyAtStandIn(page, denial)
          assert.deepEqual(await credentialsOf(standInCase), [])
          await page.getByRole('link', { name: 'Try again' }).click()
        }
        await continueToStandIn(page, standInCase)
        await signInAtStandIn(page, standInCase)
        assert.deepEqual(
          (await credentialsOf(standInCase)).map(credential => [
            credential.connector_slug,
            credential.status,
            credential.account,
          ]),
          [[slug, 'active', account]],
        )
        assert.deepEqual(browserErrors, [])
      })

      it('tools list, read and write data, and request further scopes only when needed', test =>
        useTools(linkedFor(test, standInCase)))
    })
  }
})

// These tests move the shared clock, so they run one at a time, after all connectors are linked.
describe('connectors against stand-ins, after linking', () => {
  for (const standInCase of cases) {
    const { name, refresh, receipt } = standInCase
    if (refresh)
      it(`${name}: an expired token is refreshed${refresh.rotates ? ', and the refresh token is rotated' : ''}`, async () => {
        const [{ credential_id }] = await credentialsOf(standInCase)
        for (const _ of ['first', 'second']) {
          const previous = latestTokens(standInCase)
          await world.service.moveClock(2 * HOUR)
          const { body } = await world.service.call(
            'POST',
            at(standInCase, `credentials/${credential_id}/test`),
          )
          assert.deepEqual([body.outcome, body.account], ['works', standInCase.account])
          const renewed = latestTokens(standInCase)
          assert.notEqual(renewed.access, previous.access)
          assert.equal(renewed.refresh !== previous.refresh, refresh.rotates)
        }
      })

    it(`${name}: the revocation of a deleted credential has the outcome ${receipt}`, async test => {
      const { service } = world
      const [{ credential_id }] = await credentialsOf(standInCase)
      assert.equal(
        (await service.call('DELETE', at(standInCase, `credentials/${credential_id}`))).status,
        204,
      )
      await revokeDueTokens(service.service.features)
      await eventually(async () => {
        const { data } = (await service.call('GET', at(standInCase, 'revocations'))).body
        const [revocation] = data.filter(({ reason }: AnyJson) => reason === 'deleted')
        assert.deepEqual([revocation?.credential_id, revocation?.outcome], [credential_id, receipt])
      })
      await standInCase.checkRevoked?.(linkedFor(test, standInCase), latestTokens(standInCase))
    })
  }
})

const CONNECTORS = join(import.meta.dirname, '../connectors')

it('connector files are marked as verified by a stand-in exactly if this file calls their tools', () => {
  const files = readdirSync(CONNECTORS).filter(file => /(?<!\.schema)\.json$/.test(file))
  const marked = files.filter(file => {
    const { source } = JSON.parse(readFileSync(join(CONNECTORS, file), 'utf8')) as ConnectorFile
    return source?.tested_with === 'stand-in'
  })
  const called = cases.map(({ slug }) => `${slug}.json`)
  assert.deepEqual(marked, called.toSorted())
})

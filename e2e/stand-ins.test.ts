import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { HOUR } from '../server/src/core/duration.ts'
import { revokeDueTokens } from '../server/src/features/credentials/revoke-tokens.ts'
import { eventually } from '../server/test/support/eventually.ts'
import { githubStories } from './stand-ins/github.ts'
import { googleStories } from './stand-ins/google.ts'
import { linearStories } from './stand-ins/linear.ts'
import { microsoftStories } from './stand-ins/microsoft.ts'
import { oktaStories } from './stand-ins/okta.ts'
import { slackStories } from './stand-ins/slack.ts'
import { createVisitor } from './support/browser.ts'
import {
  type Answer,
  type Linked,
  leaveForStandIn,
  refuseAtStandIn,
  type Story,
  signInAtStandIn,
  type Tokens,
  tokensOf,
} from './support/stand-in-story.ts'
import { type StandInWorld, startStandIns } from './support/stand-ins.ts'

const stories: Story[] = [
  ...githubStories,
  ...slackStories,
  ...googleStories,
  ...linearStories,
  ...microsoftStories,
  ...oktaStories,
]

let world: StandInWorld
before(async () => {
  world = await startStandIns([...new Set(stories.map(({ vendor }) => vendor))])
})
after(() => world?.stop())

/** The user of each story, from its link to its end. */
const users = new Map<Story, string>()
const userOf = (story: Story): string => users.get(story) ?? ''

const at = (story: Story, rest: string): string => `/api/v1/registered-users/${userOf(story)}/${rest}`
const credentialsOf = async (story: Story): Promise<Answer[]> =>
  (await world.service.call('GET', at(story, 'credentials'))).body.data
const newestTokens = (story: Story): Tokens => {
  const tokens = tokensOf(world.of(story.vendor), story).at(-1)
  assert.ok(tokens, 'the stand-in has issued tokens')
  return tokens
}

const askTool = async (story: Story, tool: string, args = {}): Promise<Answer> => {
  const call = { name: `${story.slug}__${tool}`, arguments: args }
  return (await world.service.mcp(userOf(story), 'tools/call', call)).body.result
}

const linkedFor = (test: TestContext, story: Story): Linked => {
  const standIn = world.of(story.vendor)
  const call: Linked['call'] = async (tool, args) => {
    const { isError, structuredContent } = await askTool(story, tool, args)
    assert.equal(isError, false, `${tool}: ${JSON.stringify(structuredContent)}`)
    assert.notEqual(structuredContent.type, 'authenticate_meta', `${tool}: ${structuredContent.message}`)
    return structuredContent
  }
  return {
    standIn,
    call,
    callOnceAllowed: async (tool, args) => {
      const { structuredContent: meta } = await askTool(story, tool, args)
      assert.deepEqual([meta.type, meta.reason], ['authenticate_meta', 'insufficient_scope'], tool)
      const { page } = await createVisitor(world.browser, test)
      await page.goto(meta.magic_link_url)
      await leaveForStandIn(page, story)
      await signInAtStandIn(page, story)
      return call(tool, args)
    },
    look: async (path, init) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${newestTokens(story).access}`)
      return (await fetch(standIn.inside + path, { ...init, headers })).json()
    },
  }
}

// Linking waits more than it works, and each story has a user and data of its own.
describe('against its stand-in', { concurrency: 3 }, () => {
  for (const story of stories) {
    const { name, slug, account, denial, useTools } = story
    describe(name, { concurrency: 1 }, () => {
      const refused = denial ? ', and nothing is stored where the person refuses' : ''
      it(`is linked as the account that signed in${refused}`, async test => {
        const { id } = await world.service.createUser()
        users.set(story, id)
        const { page, complaints } = await createVisitor(world.browser, test)
        await page.goto((await world.service.mint(id, { connector: slug })).magic_link_url)
        if (denial) {
          await leaveForStandIn(page, story)
          await refuseAtStandIn(page, denial)
          assert.deepEqual(await credentialsOf(story), [])
          await page.getByRole('link', { name: 'Try again' }).click()
        }
        await leaveForStandIn(page, story)
        await signInAtStandIn(page, story)
        assert.deepEqual(
          (await credentialsOf(story)).map(one => [one.connector_slug, one.status, one.account]),
          [[slug, 'active', account]],
        )
        assert.deepEqual(complaints, [])
      })

      it('lists, reads and writes what is held there, asking for more only when a tool needs it', test =>
        useTools(linkedFor(test, story)))
    })
  }
})

// These move the clock, which is everybody's: one after the other, when nobody links any more.
describe('against its stand-in, later', () => {
  for (const story of stories) {
    const { name, refresh, receipt } = story
    if (refresh)
      it(`${name} is refreshed once its token has expired${refresh.rotates ? ', each time with a new refresh token' : ''}`, async () => {
        const [{ credential_id }] = await credentialsOf(story)
        for (const _ of ['once', 'again']) {
          const old = newestTokens(story)
          await world.service.moveClock(2 * HOUR)
          const { body } = await world.service.call('POST', at(story, `credentials/${credential_id}/test`))
          assert.deepEqual([body.outcome, body.account], ['works', story.account])
          const renewed = newestTokens(story)
          assert.notEqual(renewed.access, old.access)
          assert.equal(renewed.refresh !== old.refresh, refresh.rotates)
        }
      })

    it(`${name}, ended here, has a receipt that says ${receipt}`, async test => {
      const { service } = world
      const [{ credential_id }] = await credentialsOf(story)
      assert.equal((await service.call('DELETE', at(story, `credentials/${credential_id}`))).status, 204)
      await revokeDueTokens(service.service.features)
      await eventually(async () => {
        const { data } = (await service.call('GET', at(story, 'revocations'))).body
        const [ended] = data.filter(({ reason }: Answer) => reason === 'deleted')
        assert.deepEqual([ended?.credential_id, ended?.outcome], [credential_id, receipt])
      })
      await story.checkEnded?.(linkedFor(test, story), newestTokens(story))
    })
  }
})

const CONNECTORS = join(import.meta.dirname, '../connectors')

it('a connector file says that a stand-in has verified it just where its tools were called here', () => {
  const files = readdirSync(CONNECTORS).filter(file => /(?<!\.schema)\.json$/.test(file))
  const saying = files.filter(file => {
    const { source } = JSON.parse(readFileSync(join(CONNECTORS, file), 'utf8')) as ConnectorFile
    return source?.verified === 'stand-in'
  })
  const run = stories.map(({ slug }) => `${slug}.json`)
  assert.deepEqual(saying, run.toSorted())
})

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { tokenPrefixes } from '@carabiner/contract'
import { routingCode } from '../../src/core/token.ts'
import { createOrganization } from '../../src/features/organizations/create-organization.ts'
import { organizationStore } from '../../src/features/organizations/organization-store.ts'
import {
  type BrowserUser,
  consentAtSandbox,
  createBrowserUser,
  type Page,
  readForms,
} from '../support/browser-user.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('the routing code of an organization', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService('postgres')
    await t.allowOrigin('https://app.example.com')
  })
  after(() => t.stop())

  /** The `state` of the redirect to the provider, which is not followed. */
  const stateOf = async ({ cookies }: BrowserUser, page: Page): Promise<string | null> => {
    const form = readForms(page).find(({ action }) => action.endsWith('/start'))
    const cookie = [...(cookies.get(new URL(page.url).host) ?? [])].map(pair => pair.join('=')).join('; ')
    const response = await fetch(form?.action ?? '', {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams(form?.fields),
    })
    return new URL(response.headers.get('location') ?? '').searchParams.get('state')
  }

  it('starts all of its secrets, session handles and OAuth states', async () => {
    const code = routingCode(t.organization.id)
    const starts = (secret: string | null | undefined, prefix: string): void =>
      assert.ok(secret?.startsWith(prefix + code), `${prefix}${code}: ${secret}`)
    const user = await t.createUser()
    starts(t.organization.key, tokenPrefixes.productionKey)
    const test = await t.call('POST', '/api/v1/api-keys', { body: { name: 'Test' } })
    starts(test.body.key, tokenPrefixes.testKey)
    const agent = await t.call('POST', `/api/v1/registered-users/${user.id}/mcp-keys`, {
      body: { name: 'Agent' },
    })
    starts(agent.body.key, tokenPrefixes.mcpKey)
    const minted = await t.mint(user.id, {
      Connector: 'sandbox-notes',
      callback_url: 'https://app.example.com/cb',
      state: 's',
    })
    starts(minted.link_token, tokenPrefixes.linkToken)
    starts(new URL(minted.magic_link_url).pathname, `/magic-link/${tokenPrefixes.magicLink}`)
    const browser = createBrowserUser()
    const page = await browser.open(minted.magic_link_url)
    starts(new URL(page.url).pathname, '/connect/')
    starts(await stateOf(browser, page), '')
    await consentAtSandbox(browser, await browser.submit(page, /\/start$/))
    starts(new URL(browser.lastLocation ?? '').searchParams.get('code'), tokenPrefixes.authorizationCode)
  })

  it('is unique: an ID with the code of another organization is not used', async () => {
    const { db } = t.service.features
    const taken = `0190a5c1-7b1e-7f00-8000-0000${t.organization.id.slice(-8)}`
    assert.equal(routingCode(taken), routingCode(t.organization.id))
    assert.equal(
      await organizationStore.insert(db, taken, { name: 'Another', plan: 'free', callLimit: null }),
      null,
    )
    const other = await t.createOrganization('Third')
    assert.notEqual(routingCode(other.id), routingCode(t.organization.id))
  })

  it('is not one that another installation has', async () => {
    const codes: string[] = []
    const isCodeTaken = (code: string): boolean => codes.push(code) < 3
    const { organization } = await createOrganization(t.service.features, 'Fourth', { isCodeTaken })
    assert.equal(codes.length, 3)
    assert.equal(routingCode(organization.id), codes[2])
  })
})

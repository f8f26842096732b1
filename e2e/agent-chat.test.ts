import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Locator, Page } from 'playwright-core'
import { createScriptedModel } from '../examples/agent-chat/agent/scripted-model.ts'
import * as agentChat from '../examples/agent-chat/server.ts'
import { startTcpProxy, type TcpProxy } from '../server/test/support/tcp-proxy.ts'
import { createVisitor, type Visitor } from './support/browser.ts'
import { checkAppearance, checkLayout } from './support/check-page.ts'
import { continueInWindow, embeddingOn, signInAndAllow } from './support/embedding.ts'
import { allow, deny, pressDone, signIn } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

const SCREENSHOTS = join(import.meta.dirname, '../test-output/e2e')
const always = process.env['PICTURES'] !== undefined

let world: World
let example: agentChat.Example
let proxy: TcpProxy
let policyKey: string
/** Signal of the model's latest turn. Aborting it also aborts the tool call that follows. */
let latest: AbortSignal | undefined

before(async () => {
  world = await startWorld()
  await agentChat.build()
  const { baseUrl, organization } = world.service
  const scripted = createScriptedModel(2)
  const model: LanguageModelV4 = {
    ...scripted,
    doStream: options => {
      latest = options.abortSignal
      return scripted.doStream(options)
    },
  }
  policyKey = await createKey('policies')
  proxy = await startTcpProxy(Number(new URL(baseUrl).port))
  example = await agentChat.startExample({
    port: 0,
    carabinerUrl: `http://127.0.0.1:${proxy.port}`,
    linkUrl: `${baseUrl}/link`,
    apiKey: organization.key,
    approvalsKey: await createKey('approvals'),
    model,
  })
  await world.service.allowOrigin(example.url)
})
after(async () => {
  await example?.stop()
  await proxy?.close()
  await world?.stop()
})

/** Only an administrator can create such a key. */
const createKey = async (group: string): Promise<string> => {
  const { body } = await world.service.call<{ id: string; key: string }>('POST', '/api/v1/api-keys', {
    body: { mode: 'production' },
  })
  await world.service.query(`update api_keys set groups = array[$2] where id = $1`, [body.id, group])
  return body.key
}

const userOf = async (user: string): Promise<string> =>
  (await world.service.createUser({ origin_user_id: `example-chat-${user}` })).id

const visit = async (
  test: Parameters<typeof createVisitor>[1],
  user: string,
): Promise<Visitor & { ask: (prompt: string) => Promise<void>; turn: () => Locator }> => {
  const visitor = await createVisitor(world.browser, test)
  const { page } = visitor
  await page.goto(`${example.url}/?user=${user}`)
  await page.getByRole('button', { name: 'List my notes' }).and(page.locator(':enabled')).waitFor()
  return {
    ...visitor,
    turn: () => page.getByRole('list', { name: 'Conversation' }).locator('> li').last(),
    ask: async prompt => {
      await page.getByLabel('Message to Orbit').fill(prompt)
      await page.keyboard.press('Enter')
    },
  }
}

/** Each state is checked in two of these, alternating between the pairs, or in all four if PICTURES is set. */
const APPEARANCES = [
  { theme: 'light', size: 'desktop', motion: 'reduce' },
  { theme: 'dark', size: 'phone', motion: 'reduce' },
  { theme: 'light', size: 'phone', motion: 'reduce' },
  { theme: 'dark', size: 'desktop', motion: 'reduce' },
] as const
let checks = 0

const assertAppearance = async (page: Page, state: string): Promise<void> => {
  const previousSize = page.viewportSize()
  const first = (checks++ % 2) * 2
  for (const appearance of always ? APPEARANCES : APPEARANCES.slice(first, first + 2)) {
    const screenshot = join(SCREENSHOTS, `agent-chat-${state}-${appearance.theme}-${appearance.size}.png`)
    assert.deepEqual(await checkAppearance(page, appearance, screenshot, { always }), [], screenshot)
  }
  if (previousSize) await page.setViewportSize(previousSize)
}

describe('agent chat example', () => {
  it('opens Link, repeats the prompt once connected, and answers later prompts directly [runtime.retry-succeeds] [symptom.storage-delay]', async test => {
    const { page, ask, turn, browserErrors } = await visit(test, 'ana')
    await assertAppearance(page, 'empty')
    await ask('List my notes')
    const embedding = embeddingOn(page)
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    await signInAndAllow(await continueInWindow(embedding))
    await turn().getByText('Notes is connected', { exact: true }).waitFor()
    await turn().getByText('You have 3 notes:').waitFor()
    await pressDone(page)
    assert.match(await turn().locator('.prompt').innerText(), /List my notes$/)
    await assertAppearance(page, 'body')

    await ask('Add a note: call Marta about the flat')
    await turn().getByText('Done. “call Marta about the flat” is in your notes.').waitFor()
    await ask('Find notes about call Marta')
    await turn().getByText('You have one note:').waitFor()
    assert.deepEqual(await world.linkedConnectors(await userOf('ana')), ['sandbox-notes'])
    assert.deepEqual(browserErrors, [])
  })

  it('the user approves on a phone exactly the call that runs; a changed text asks again, and can be denied [approval.code]', async test => {
    const { page, ask, turn, browserErrors } = await visit(test, 'ana')
    const { service } = world
    const rule = { name: 'Notes', effect: 'ask', tools: ['sandbox-notes__create_note'], approvers: ['user'] }
    const created = await service.call<{ id: string }>('POST', '/api/v1/policy-rules', {
      key: policyKey,
      body: rule,
    })
    assert.equal(created.status, 201, created.text)
    test.after(async () => {
      await service.call('DELETE', `/api/v1/policy-rules/${created.body.id}`, { key: policyKey })
    })
    const notes = async (): Promise<string[]> =>
      (await world.callNotes(await userOf('ana'))).notes?.map(note => (note as { title: string }).title) ?? []
    const review = async (): Promise<Page> => {
      const opening = page.waitForEvent('popup')
      await turn().getByRole('button', { name: 'Review' }).click()
      const popup = await opening
      await popup.setViewportSize({ width: 390, height: 780 })
      return popup
    }
    await page.setViewportSize({ width: 390, height: 780 })
    await ask('Add a note: meet Marta at the flat on Friday')
    await turn().getByText('Nothing has been sent to Notes yet.', { exact: false }).waitFor()
    await assertAppearance(page, 'approving')
    const first = await review()
    await first.getByText('meet Marta at the flat on Friday').first().waitFor()
    await Promise.all([
      first.waitForEvent('close'),
      first.getByRole('button', { name: 'Approve once' }).click(),
    ])
    await turn().getByText('Done. “meet Marta at the flat on Friday” is in your notes.').waitFor()
    assert.ok((await notes()).includes('meet Marta at the flat on Friday'))

    await ask('Add a note: meet Marta at the flat on Monday')
    const second = await review()
    await second.getByText('meet Marta at the flat on Monday').first().waitFor()
    await second.getByText('Don’t allow…', { exact: true }).click()
    await second.getByLabel('Tell the assistant why').fill('Friday is right')
    await Promise.all([
      second.waitForEvent('close'),
      second.getByRole('button', { name: 'Don’t allow', exact: true }).click(),
    ])
    await turn().getByText('Friday is right', { exact: false }).waitFor()
    assert.ok(!(await notes()).includes('meet Marta at the flat on Monday'))
    assert.deepEqual(browserErrors, [])
  })

  it('the backend opens the approval page for this page only', async () => {
    const open = (site: string) =>
      fetch(`${example.url}/api/approvals/00000000-0000-7000-8000-000000000000?user=ana`, {
        headers: { 'sec-fetch-site': site },
        redirect: 'manual',
      })
    assert.equal((await open('cross-site')).status, 403)
    assert.equal((await open('none')).status, 403)
  })

  it('a user who denies consent or closes Link keeps the button, and nothing is connected', async test => {
    const { page, ask, turn, browserErrors } = await visit(test, 'ben')
    await ask('List my notes')
    const embedding = embeddingOn(page)
    const popup = await continueInWindow(embedding)
    await signIn(popup, 'ben')
    await deny(popup)
    await embedding.frame.getByText('Nothing was connected').first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await turn().getByText('Nothing was connected or shared.').waitFor()
    assert.deepEqual(await world.linkedConnectors(await userOf('ben')), [])
    await assertAppearance(page, 'unconnected')

    const connect = turn().getByRole('button', { name: 'Connect Notes' })
    await connect.click()
    await embedding.frame.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await turn().getByText('Connect Notes', { exact: true }).waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Connect Notes')

    await connect.click()
    await allow(await continueInWindow(embedding))
    await turn().getByText('Sourdough log', { exact: false }).waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('an expired link is replaced by a new one, and each user has separate accounts', async test => {
    const { page, ask, turn } = await visit(test, 'mia')
    await ask('List my notes')
    const embedding = embeddingOn(page)
    await embedding.frame.getByRole('button', { name: 'Cancel' }).click()
    await turn().getByText('Nothing was connected or shared.').waitFor()
    await page.clock.install({ time: Date.now() + 31 * 60_000 })
    const minted = async () =>
      (
        await world.service.query('select id from link_sessions where registered_user_id = $1', [
          await userOf('mia'),
        ])
      ).length
    assert.equal(await minted(), 1)
    await turn().getByRole('button', { name: 'Connect Notes' }).click()
    await until('a new link is requested', async () => (await minted()) === 2)
    assert.deepEqual(await world.linkedConnectors(await userOf('mia')), [])
  })

  it('Stop ends the answer and aborts the agent', async test => {
    const { page, ask, turn } = await visit(test, 'ana')
    const release = world.service.sandbox.hold('notes')
    await ask('List my notes')
    await turn().getByText('List notes').waitFor()
    await page.waitForFunction('document.querySelector(".step[data-state=running]")')
    await assertAppearance(page, 'streaming')
    await page.getByRole('button', { name: 'Stop' }).click()
    await turn().getByText('You stopped this answer.').waitFor()
    await until('the agent has stopped', () => latest?.aborted === true)
    release()
    await page.getByRole('button', { name: 'Send' }).waitFor()
  })

  it('an unavailable service is reported, and the prompt can be retried', async test => {
    const { page, ask, turn } = await visit(test, 'ana')
    test.mock.method(console, 'error', () => undefined)
    await proxy.cut()
    await ask('List my notes')
    await turn().getByText('Your accounts cannot be reached right now.', { exact: false }).waitFor()
    await assertAppearance(page, 'down')
    await proxy.restore()
    await turn().getByRole('button', { name: 'Try again' }).click()
    await turn().getByText('notes:').waitFor()
  })

  it('Link over the conversation: no axe violation, targets large enough and focus visible on a phone', async test => {
    const { page, ask, turn } = await visit(test, 'mia')
    await ask('List my notes')
    await embeddingOn(page).frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    await assertAppearance(page, 'asking')
    await page.keyboard.press('Escape')
    await turn().getByRole('button', { name: 'Connect Notes' }).waitFor()
    assert.deepEqual((await checkLayout(page)).problems, [])
  })

  it('screen readers announce complete sentences politely', async test => {
    const { page, ask } = await visit(test, 'ana')
    const log = page.getByRole('log', { name: 'Answer' })
    await ask('What can you do?')
    await log.getByText('I can look after your notes.', { exact: true }).waitFor()
    assert.equal(await log.getAttribute('aria-live'), 'polite')
  })

  it('the backend rejects cross-site and malformed requests, and streams no API key', async () => {
    const post = (body: unknown, site = 'same-origin') =>
      fetch(`${example.url}/api/chat`, {
        method: 'POST',
        headers: { 'sec-fetch-site': site },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    const valid = { user: 'ana', messages: [{ role: 'user', text: 'hello' }] }
    assert.equal((await post(valid, 'cross-site')).status, 403)
    for (const malformed of [
      '{',
      {},
      { ...valid, user: 'toString' },
      { ...valid, messages: [{ role: 'system', text: '' }] },
      { ...valid, decided: null },
      { ...valid, decided: { name: 'sandbox-notes__create_note', arguments: null } },
      { ...valid, decided: { name: 'sandbox-notes__create_note', arguments: [] } },
    ])
      assert.equal((await post(malformed)).status, 400)
    const body = await (await post(valid)).text()
    assert.match(body, /^data: \{"type":"text"/)
    assert.match(body, /data: \{"type":"done"\}\n\n$/)
    assert.doesNotMatch(body, /cb_sk_/)
  })
})

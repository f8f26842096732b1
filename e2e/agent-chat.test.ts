import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Model } from '../examples/agent-chat/agent/model.ts'
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
/** Signal of the model's latest turn. Aborting it also aborts the tool call that follows. */
let latest: AbortSignal | undefined

before(async () => {
  world = await startWorld()
  await agentChat.build()
  const { baseUrl, organization } = world.service
  const scripted = createScriptedModel(2)
  const model: Model = {
    ...scripted,
    answer: (messages, tools, signal) => {
      latest = signal
      return scripted.answer(messages, tools, signal)
    },
  }
  proxy = await startTcpProxy(Number(new URL(baseUrl).port))
  example = await agentChat.startExample({
    port: 0,
    carabinerUrl: `http://127.0.0.1:${proxy.port}`,
    linkUrl: `${baseUrl}/link`,
    apiKey: organization.key,
    model,
  })
  await world.service.allowOrigin(example.url)
})
after(async () => {
  await example?.stop()
  await proxy?.close()
  await world?.stop()
})

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
    await turn().getByText('Nothing was connected, and nothing was shared.').waitFor()
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
    await turn().getByText('Nothing was connected, and nothing was shared.').waitFor()
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
    ])
      assert.equal((await post(malformed)).status, 400)
    const body = await (await post(valid)).text()
    assert.match(body, /^data: \{"type":"text"/)
    assert.match(body, /data: \{"type":"done"\}\n\n$/)
    assert.doesNotMatch(body, /cb_sk_/)
  })
})

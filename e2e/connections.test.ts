import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { buildPackages } from '../scripts/build-packages.ts'
import { createVisitor } from './support/browser.ts'
import { allow, continueToNotes, linkNotes, waitForHeading, waitForText } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.stop())

const callNotes = async (userId: string) =>
  (await world.service.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })).body
    .result.structuredContent

for (const javaScriptEnabled of [true, false]) {
  describe(`My connections with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    it('a user opens the link, pauses, resumes, reconnects and disconnects an account', async test => {
      const { service, browser, createLink } = world
      const { userId, link } = await createLink({ connector: 'sandbox-notes' })
      const { page, browserErrors } = await createVisitor(browser, test, { javaScriptEnabled })
      await linkNotes(page, link)
      assert.equal(Array.isArray((await callNotes(userId)).notes), true)

      const { body } = await service.call('POST', `/api/v1/registered-users/${userId}/connections-link`)
      await page.goto(body.url)
      await waitForHeading(page, 'Your connections')
      assert.doesNotMatch(page.url(), /cb_con_/)
      assert.equal(await page.getByText('ana@example.com').count(), 0)
      await page.getByRole('button', { name: 'Show my connections' }).click()
      await page.getByRole('link', { name: /Notes/ }).click()
      await waitForHeading(page, 'Notes')
      await waitForText(page, 'ana@example.com')
      await waitForText(page, 'List notes')

      await page.getByRole('button', { name: 'Pause for an hour' }).click()
      await waitForText(page, 'Paused until')
      assert.equal((await callNotes(userId)).error.code, 'connection_paused')
      await page.getByRole('button', { name: 'Resume now' }).click()
      await page.getByRole('button', { name: 'Pause for an hour' }).waitFor()
      assert.equal(Array.isArray((await callNotes(userId)).notes), true)

      await page.getByRole('button', { name: 'Reconnect' }).click()
      await waitForHeading(page, 'Connect Notes to Orbit')
      await continueToNotes(page)
      await allow(page)
      await waitForHeading(page, 'Notes is connected')
      await page.getByRole('link', { name: 'Back to your connections' }).click()
      await waitForHeading(page, 'Your connections')

      await page.getByRole('link', { name: /Notes/ }).click()
      await page.getByRole('link', { name: 'Disconnect' }).click()
      await waitForHeading(page, 'Disconnect Notes?')
      await page.getByRole('link', { name: 'Keep it connected' }).click()
      await page.getByRole('link', { name: 'Disconnect' }).click()
      await page.getByRole('button', { name: 'Disconnect' }).click()
      await waitForHeading(page, 'Notes is disconnected')
      assert.equal((await callNotes(userId)).type, 'authenticate_meta')
      await until('the provider has confirmed', async () => {
        await page.reload()
        return (await page.getByText('confirmed that access was revoked').count()) === 1
      })
      await page.getByRole('link', { name: 'Back to your connections' }).click()
      await waitForHeading(page, 'No connections yet')
      assert.deepEqual(browserErrors, [])
    })
  })
}

describe('My connections', () => {
  it('another browser cannot use a link that was opened, and no page may frame it', async test => {
    const { service, browser, application, createLink } = world
    const { userId } = await createLink({ connector: 'sandbox-notes' })
    const { body } = await service.call('POST', `/api/v1/registered-users/${userId}/connections-link`)
    const owner = await createVisitor(browser, test, {})
    await owner.page.goto(body.url)
    await owner.page.getByRole('button', { name: 'Show my connections' }).click()
    await waitForHeading(owner.page, 'No connections yet')

    const other = await createVisitor(browser, test, {})
    for (const address of [body.url, owner.page.url()]) {
      await other.page.goto(address)
      await waitForHeading(other.page, 'This link was opened in another browser')
    }

    await service.allowOrigin(application.origin)
    application.serve('/frames', `<iframe src="${owner.page.url()}"></iframe>`)
    await owner.page.goto(`${application.origin}/frames`)
    // Chromium shows its own error page instead of a page that must not be framed.
    await owner.page.frames().at(-1)?.waitForURL('chrome-error://chromewebdata/')
  })
})

describe('My connections in the application', () => {
  it('is shown in a dialog, pauses, reconnects in a window, and closes', async test => {
    const { service, browser, application, createLink } = world
    await buildPackages()
    const { userId, link } = await createLink({ connector: 'sandbox-notes' })
    const { page, context, browserErrors } = await createVisitor(browser, test, {})
    await linkNotes(page, link)
    await service.allowOrigin(application.origin)
    application.serve(
      '/my-connections',
      `<button id="open">My connections</button><p id="state">closed</p>
<script type="module">
import { showConnections } from '/carabiner-link/index.js'
const state = document.querySelector('#state')
document.querySelector('#open').onclick = async () => {
  state.textContent = 'open'
  const url = decodeURIComponent(location.hash.slice(1))
  await showConnections({ url, lang: 'en' }).then(() => (state.textContent = 'closed again'), error => (state.textContent = error.code))
}
</script>`,
    )
    const { body } = await service.call('POST', `/api/v1/registered-users/${userId}/connections-link`)
    await page.goto(`${application.origin}/my-connections#${encodeURIComponent(body.url)}`)
    await page.getByRole('button', { name: 'My connections' }).click()
    const frame = page.frameLocator('iframe')
    await frame.getByRole('link', { name: /Notes/ }).click()
    await frame.getByRole('button', { name: 'Pause for an hour' }).click()
    await frame.getByText('Paused until').waitFor()
    assert.equal((await callNotes(userId)).error.code, 'connection_paused')

    const opened = context.waitForEvent('page')
    await frame.getByRole('button', { name: 'Reconnect' }).click()
    const popup = await opened
    await waitForHeading(popup, 'Connect Notes to Orbit')
    await continueToNotes(popup)
    await allow(popup)
    await waitForHeading(popup, 'Notes is connected')
    await popup.close()
    // Headless Chromium has no window manager that would return the focus.
    await frame.locator('body').evaluate(`window.dispatchEvent(new Event('focus'))`)
    await frame.getByRole('button', { name: 'Pause for an hour' }).waitFor()

    await frame.getByRole('link', { name: 'Back' }).click()
    await frame.getByRole('button', { name: 'Close' }).click()
    await page.getByText('closed again').waitFor()
    await page.getByRole('button', { name: 'My connections' }).click()
    await frame.getByRole('link', { name: /Notes/ }).waitFor()
    assert.deepEqual(browserErrors, [])
  })
})

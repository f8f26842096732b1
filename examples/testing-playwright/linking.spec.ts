import { expect } from '@playwright/test'
import { test } from './carabiner.ts'

test('a user connects an account in the browser, and the agent can call its tools', async ({
  page,
  carabiner,
}) => {
  const user = await carabiner.user({ name: 'Ana Ruiz' })
  const { magic_link_url } = await carabiner.client.linkTokens.mint(user.id, { connector: 'sandbox-notes' })
  await page.goto(magic_link_url)
  await page.getByRole('button', { name: /Continue/ }).click()
  await page.getByRole('button', { name: /Ana Ruiz/ }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect(page).toHaveURL(url => url.origin === carabiner.baseUrl)
  await expect(page.getByRole('heading')).toContainText('connected')
  const result = await user.callTool('sandbox-notes__list_notes')
  expect(result.isError).not.toBe(true)
})

test('a link that is older than 30 minutes says so', async ({ page, carabiner }) => {
  const user = await carabiner.user()
  const { magic_link_url } = await carabiner.client.linkTokens.mint(user.id, { connector: 'sandbox-notes' })
  await carabiner.clock.advance('31 minutes')
  await page.goto(magic_link_url)
  await expect(page.getByRole('heading')).toContainText('expired')
})

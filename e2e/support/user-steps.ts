import type { Page } from 'playwright-core'

/** Steps of a user, located by the text on the page. Each step ends when the next page is shown. */
export const waitForHeading = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name: text }).waitFor()

export const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor()

export const openConsent = async (page: Page, link: string, organization = 'Orbit'): Promise<void> => {
  await page.goto(link)
  await waitForHeading(page, `Connect Notes to ${organization}`)
}

export const continueToNotes = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Continue to Notes' }).click()
  await page.waitForURL(/\/oauth\/interaction\//)
}

export const signIn = async (page: Page, account: 'ana' | 'ben' = 'ana'): Promise<void> => {
  await waitForHeading(page, 'Sign in to Notes')
  await page.getByRole('button', { name: `${account}@example.com` }).click()
  await waitForHeading(page, /^Allow .* to use your Notes account/)
}

export const allow = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Allow', exact: true }).click()
export const deny = (page: Page): Promise<void> => page.getByRole('button', { name: 'Don’t allow' }).click()

/** Goes from the link to the consent page of the provider. */
export const openProviderConsent = async (page: Page, link: string): Promise<void> => {
  await openConsent(page, link)
  await continueToNotes(page)
  await signIn(page)
}

/** Closes Link's dialog on its last page. */
export const pressDone = async (page: Page): Promise<void> => {
  const closed = page.locator('dialog').waitFor({ state: 'detached' })
  const pressed = page
    .frameLocator('dialog iframe')
    .getByRole('button', { name: 'Done', exact: true })
    .click()
  for (const promise of [closed, pressed]) promise.catch(() => undefined)
  // The button removes its own frame, so the browser does not always confirm the click.
  await Promise.race([closed, pressed])
  await closed
}

export const linkNotes = async (page: Page, link: string): Promise<void> => {
  await openProviderConsent(page, link)
  await allow(page)
  await waitForHeading(page, 'Notes is connected')
}

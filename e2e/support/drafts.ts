import type { Page } from 'playwright'

export const leaveDialog = (page: Page) => page.getByRole('dialog', { name: 'Leave with unsaved changes?' })
export const unsaved = (page: Page, count: number) =>
  page.getByText(count === 1 ? '1 unsaved change' : `${count} unsaved changes`, { exact: true }).waitFor()
/** What the browser has stored of drafts, as JSON. */
export const drafts = (page: Page) => page.evaluate<string>('JSON.stringify({ ...sessionStorage })')

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { jsonOf } from './stand-in-front.ts'
import type { StandIn, StandInVendor } from './stand-ins.ts'
import { seesHeading, seesText } from './user-steps.ts'

/** Response of a tool or a stand-in, of any shape. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any

type Arguments = Record<string, unknown>

/** Operations on a linked connector. */
export type Linked = {
  standIn: StandIn
  /** Calls a tool whose scopes are already granted. */
  call: (tool: string, args?: Arguments) => Promise<Answer>
  /** Calls a tool that needs further scopes. The user grants them, and the call succeeds. */
  callOnceAllowed: (tool: string, args?: Arguments) => Promise<Answer>
  /** Calls the stand-in directly with the account's token, to verify its state. */
  look: (path: string, init?: RequestInit) => Promise<Answer>
}

export type Tokens = { access: string; refresh: string }

export type Story = {
  slug: string
  name: string
  vendor: StandInVendor
  /** Account that the user signs in with; never the default account of the stand-in. */
  signsInAs: string
  /** Account name on the success page and in the credential. */
  account: string
  /** Tenant fields to fill in, if every customer has its own host. */
  tenant?: { label: string; value: string }
  /** Callback parameters that the vendor documents for a denied consent. The stand-ins have no deny button. */
  denial?: Record<string, string>
  /** Null if the vendor issues no refresh tokens. */
  refresh: { rotates: boolean } | null
  receipt: 'revoked' | 'kept_shared' | 'not_supported'
  /** Calls tools and compares the results with the state of the stand-in. */
  useTools: (linked: Linked) => Promise<void>
  /** Fails if the stand-in still accepts the revoked token. */
  checkEnded?: (linked: Linked, tokens: Tokens) => Promise<void>
}

export const leaveForStandIn = async (page: Page, { name, tenant, vendor }: Story): Promise<void> => {
  await seesHeading(page, `Connect ${name} to Orbit`)
  if (tenant) await page.getByLabel(tenant.label).fill(tenant.value)
  await page.getByRole('button', { name: `Continue to ${name}` }).click()
  await page.getByText(new RegExp(`^${vendor.service} emulator$`, 'i')).waitFor()
}

export const signInAtStandIn = async (page: Page, { name, signsInAs, account }: Story): Promise<void> => {
  await page.getByRole('button').filter({ hasText: signsInAs }).click()
  await seesHeading(page, `${name} is connected`)
  await seesText(page, account)
}

/** Opens the callback to which the vendor redirects after a denied consent. */
export const refuseAtStandIn = async (page: Page, denial: Record<string, string>): Promise<void> => {
  const asked = new URL(page.url()).searchParams
  const back = new URL(asked.get('redirect_uri') ?? '')
  for (const [name, value] of Object.entries({ ...denial, state: asked.get('state') ?? '' }))
    back.searchParams.set(name, value)
  await page.evaluate(`location.assign(${JSON.stringify(back.href)})`)
  await seesHeading(page, 'You cancelled')
}

/**
 * Tokens that the stand-in has issued for this connector, in order: for codes sent to its redirect URI, and for refresh tokens
 * issued with them.
 */
export const tokensOf = ({ seen }: StandIn, { slug }: Story): Tokens[] => {
  const issued: Tokens[] = []
  for (const { asked, answered } of seen) {
    const form = new URLSearchParams(asked.method === 'POST' ? asked.body : '')
    const before = issued.find(({ refresh }) => refresh !== '' && refresh === form.get('refresh_token'))
    if (!before && !form.get('redirect_uri')?.endsWith(`/callback/${slug}`)) continue
    const body: Answer = jsonOf(answered)
    const access = body?.authed_user?.access_token ?? body?.access_token
    if (access) issued.push({ access, refresh: body.refresh_token ?? before?.refresh ?? '' })
  }
  return issued
}

/** Reads all pages of a list by their cursors. */
export const everyPage = async (call: Linked['call'], tool: string, args: Arguments): Promise<Answer[][]> => {
  const pages: Answer[][] = []
  let cursor: string | null = null
  do {
    assert.ok(pages.length < 10, `${tool} does not end`)
    const page: Answer = await call(tool, cursor === null ? args : { ...args, cursor })
    pages.push(page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return pages
}

export const pick = (field: string, pages: Answer[][]): string[][] =>
  pages.map(page => page.map(item => item[field]))

export const withForm = (fields: Record<string, string>): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
})

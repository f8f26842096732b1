import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { parseJson } from './stand-in-proxy.ts'
import type { StandIn, StandInVendor } from './stand-ins.ts'
import { waitForHeading, waitForText } from './user-steps.ts'

/** Response of a tool or a stand-in, of any shape. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyJson = any

type Arguments = Record<string, unknown>

/** Operations on a linked connector. */
export type LinkedConnector = {
  standIn: StandIn
  /** Calls a tool whose scopes are already granted. */
  call: (tool: string, args?: Arguments) => Promise<AnyJson>
  /** Calls a tool that needs further scopes. The user grants them, and the call succeeds. */
  callAfterGrant: (tool: string, args?: Arguments) => Promise<AnyJson>
  /** Calls the stand-in directly with the account's token, to verify its state. */
  fetchDirectly: (path: string, init?: RequestInit) => Promise<AnyJson>
}

export type Tokens = { access: string; refresh: string }

/** A connector that is tested against a stand-in. */
export type StandInCase = {
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
  useTools: (linkedConnector: LinkedConnector) => Promise<void>
  /** Fails if the stand-in still accepts the revoked token. */
  checkRevoked?: (linkedConnector: LinkedConnector, tokens: Tokens) => Promise<void>
}

export const continueToStandIn = async (page: Page, { name, tenant, vendor }: StandInCase): Promise<void> => {
  await waitForHeading(page, `Connect ${name} to Orbit`)
  if (tenant) await page.getByLabel(tenant.label).fill(tenant.value)
  await page.getByRole('button', { name: `Continue to ${name}` }).click()
  await page.getByText(new RegExp(`^${vendor.service} emulator$`, 'i')).waitFor()
}

export const signInAtStandIn = async (
  page: Page,
  { name, signsInAs, account }: StandInCase,
): Promise<void> => {
  await page.getByRole('button').filter({ hasText: signsInAs }).click()
  await waitForHeading(page, `${name} is connected`)
  await waitForText(page, account)
}

/** Opens the callback to which the vendor redirects after a denied consent. */
export const denyAtStandIn = async (page: Page, denial: Record<string, string>): Promise<void> => {
  const parameters = new URL(page.url()).searchParams
  const callback = new URL(parameters.get('redirect_uri') ?? '')
  for (const [name, value] of Object.entries({ ...denial, state: parameters.get('state') ?? '' }))
    callback.searchParams.set(name, value)
  await page.evaluate(`location.assign(${JSON.stringify(callback.href)})`)
  await waitForHeading(page, 'You canceled')
}

/**
 * Tokens that the stand-in has issued for this connector, in order: for codes sent to its redirect URI, and for refresh tokens
 * issued with them.
 */
export const issuedTokens = ({ exchanges }: StandIn, { slug }: StandInCase): Tokens[] => {
  const issued: Tokens[] = []
  for (const { request, response } of exchanges) {
    const form = new URLSearchParams(request.method === 'POST' ? request.body : '')
    const previous = issued.find(({ refresh }) => refresh !== '' && refresh === form.get('refresh_token'))
    if (!previous && !form.get('redirect_uri')?.endsWith(`/callback/${slug}`)) continue
    const body: AnyJson = parseJson(response)
    const access = body?.authed_user?.access_token ?? body?.access_token
    if (access) issued.push({ access, refresh: body.refresh_token ?? previous?.refresh ?? '' })
  }
  return issued
}

/** Reads all pages of a list by their cursors. */
export const readAllPages = async (
  call: LinkedConnector['call'],
  tool: string,
  args: Arguments,
): Promise<AnyJson[][]> => {
  const pages: AnyJson[][] = []
  let cursor: string | null = null
  do {
    assert.ok(pages.length < 10, `${tool} returns more than ten pages`)
    const page: AnyJson = await call(tool, cursor === null ? args : { ...args, cursor })
    pages.push(page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return pages
}

export const pick = (field: string, pages: AnyJson[][]): string[][] =>
  pages.map(page => page.map(item => item[field]))

export const withForm = (fields: Record<string, string>): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
})

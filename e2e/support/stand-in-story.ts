import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { jsonOf } from './stand-in-front.ts'
import type { StandIn, StandInVendor } from './stand-ins.ts'
import { seesHeading, seesText } from './walk.ts'

/** What a tool or a stand-in answered: each has shapes of its own. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any

type Arguments = Record<string, unknown>

/** What can be done with a connector once it is linked. */
export type Linked = {
  standIn: StandIn
  /** Calls a tool that is allowed already. */
  call: (tool: string, args?: Arguments) => Promise<Answer>
  /** Calls a tool that needs more than was granted: the person is asked for that, allows it, and the call goes through. */
  callOnceAllowed: (tool: string, args?: Arguments) => Promise<Answer>
  /** Asks the stand-in itself with the account's token, past the service: what it says is what it holds. */
  look: (path: string, init?: RequestInit) => Promise<Answer>
}

export type Tokens = { access: string; refresh: string }

export type Story = {
  slug: string
  name: string
  vendor: StandInVendor
  /** Whom the person signs in as: never the one whom a stand-in takes strangers for. */
  signsInAs: string
  /** What the connected page and the credential call that account. */
  account: string
  /** What is typed before leaving, where every customer has an address of their own. */
  tenant?: { label: string; value: string }
  /** What the vendor sends back, by its documents, when the person says no; once for each. No stand-in has a button for it. */
  denial?: Record<string, string>
  /** Null where the vendor issues no refresh tokens. */
  refresh: { rotates: boolean } | null
  receipt: 'revoked' | 'kept_shared' | 'not_supported'
  /** Calls tools, and checks each against what the stand-in holds. */
  useTools: (linked: Linked) => Promise<void>
  /** Fails while the stand-in still honours what was revoked. */
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

/** Goes where the vendor would send the browser after a no. */
export const refuseAtStandIn = async (page: Page, denial: Record<string, string>): Promise<void> => {
  const asked = new URL(page.url()).searchParams
  const back = new URL(asked.get('redirect_uri') ?? '')
  for (const [name, value] of Object.entries({ ...denial, state: asked.get('state') ?? '' }))
    back.searchParams.set(name, value)
  await page.evaluate(`location.assign(${JSON.stringify(back.href)})`)
  await seesHeading(page, 'You cancelled')
}

/**
 * The tokens that the stand-in has issued for this connector, in order: for codes that came back to its redirect URI, and
 * for refresh tokens that were issued so.
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

/** Every page of a list, by the cursor that each page gives. */
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

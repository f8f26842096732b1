import type { Account, SandboxControl } from '../sandbox-control.ts'
import { type Browser, createBrowser, type Form, type Page } from './browser.ts'

export type LinkChoices = {
  /** The connector to choose if the link shows the picker. */
  connector?: string | undefined
  /** The account of the sandbox to sign in with. Default: `ana`. */
  account?: Account | undefined
  /** What the user decides at the provider. Default: `allow`. */
  decision?: 'allow' | 'deny' | undefined
  /** Whether the user grants the optional scope `notes:write` or `tasks:write`. Default: true. */
  grantsWrite?: boolean | undefined
  /** The API key that the user enters. Default: the key of `account` at the sandbox's Vault. */
  apiKey?: string | undefined
}

/** `callbackUrl`: where Link sent the browser, with its query parameters. Null if the flow ended on a page of Link. */
export type LinkResult = { callbackUrl: string | null; title: string }

type Context = { browser: Browser; sandbox: SandboxControl; sandboxUrl: string; choices: LinkChoices }

export const followLink = async (
  { baseUrl, sandboxUrl, sandbox }: { baseUrl: string; sandboxUrl: string; sandbox: SandboxControl },
  url: string,
  choices: LinkChoices,
): Promise<LinkResult> => {
  const browser = createBrowser([baseUrl, sandboxUrl])
  const context: Context = { browser, sandbox, sandboxUrl, choices }
  const landing = await choose(context, await browser.open(url))
  const page = await authorize(context, landing)
  return page.status === 0 ? { callbackUrl: page.url, title: '' } : { callbackUrl: null, title: page.title }
}

/** Chooses the connector in the picker, if it is shown. */
const choose = async ({ browser, choices }: Context, page: Page): Promise<Page> => {
  if (formOf(page, /\/(?:start|api-key)$/)) return page
  const wanted = new RegExp(`[?&]connector=${choices.connector ?? ''}(?:&|$)`)
  const link = choices.connector ? page.links.find(href => wanted.test(href)) : undefined
  if (link) return browser.open(link)
  throw new Error(
    choices.connector
      ? `Link does not offer ${choices.connector}. The page is "${page.title}" (${page.status}).`
      : `Link shows "${page.title}" (${page.status}). Name the connector to choose.`,
  )
}

const authorize = async (context: Context, page: Page): Promise<Page> => {
  const { browser, sandboxUrl } = context
  const keyForm = formOf(page, /\/api-key$/)
  if (keyForm) return enterKey(context, page, keyForm)
  const start = formOf(page, /\/start$/)
  if (!start) throw new Error(`Link shows "${page.title}" (${page.status}) instead of a way to connect.`)
  const atProvider = await browser.submit(page, start)
  if (!atProvider.url.startsWith(sandboxUrl))
    throw new Error(
      `Link redirects to ${new URL(atProvider.url).origin}. Only accounts of the sandbox can be linked without a browser.`,
    )
  return consent(context, atProvider)
}

const enterKey = async (
  { browser, sandbox, choices: { apiKey, account = 'ana' } }: Context,
  page: Page,
  form: Form,
): Promise<Page> => {
  const value = apiKey ?? (await sandbox.vaultKey(account))
  const done = await browser.submit(page, form, Object.fromEntries(form.inputs.map(name => [name, value])))
  if (formOf(done, /\/api-key$/)) throw new Error(`The provider rejected the API key: "${done.title}".`)
  return done
}

const consent = async (
  { browser, choices: { account = 'ana', decision = 'allow', grantsWrite = true } }: Context,
  signIn: Page,
): Promise<Page> => {
  const [form] = signIn.forms
  if (!form) throw new Error(`The sandbox shows "${signIn.title}" (${signIn.status}) instead of its sign-in.`)
  const page = /name="account"/.test(signIn.html) ? await browser.submit(signIn, form, { account }) : signIn
  const decide = page.forms.find(({ action }) => action.includes('/interaction/'))
  if (!decide) throw new Error(`The sandbox shows "${page.title}" (${page.status}) instead of its consent.`)
  const { scope: _scope, ...fields } = decide.fields
  const sent = grantsWrite ? decide.fields : fields
  return browser.submit(page, { ...decide, fields: sent }, { decision })
}

const formOf = (page: Page, action: RegExp): Form | undefined =>
  page.forms.find(form => action.test(form.action))

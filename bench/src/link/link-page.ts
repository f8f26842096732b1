import {
  type ConnectorCategory,
  type ConnectorFile,
  connectorCategories,
  type TradedSession,
} from '@carabiner/contract'
import type { Browser } from 'playwright-core'
import { tint } from '../../../server/src/features/pages/views/layout.ts'
import { listedConnector, writeConnectors } from '../../../server/test/support/listed-connectors.ts'
import { startTestService, type TestService } from '../../../server/test/support/test-service.ts'

/** The two sandbox connectors are listed in addition. */
const LISTED = 58
export const CONNECTORS = LISTED + 2
/** Matches exactly one connector. */
export const SEARCH_TERM = 'Harbor 41'

export type Listed = Pick<ConnectorFile, 'slug' | 'name' | 'summary'> & {
  category: ConnectorCategory
  method: 'oauth' | 'api_key'
  connected: boolean
  tint: string
}
export type LinkPage = {
  url: string
  /** The page as sent by the service. */
  html: string
  headers: Record<string, string>
  organization: string
  user: string
  connectors: Listed[]
  stop: () => Promise<void>
}

const KINDS = ['Harbor', 'Meadow', 'Quarry', 'Signal', 'Timber', 'Voyage']
const SUMMARIES = ['Issues and projects', 'Messages, drafts and search', 'Spreadsheets', 'Files and folders']

const listConnectors = (): ConnectorFile[] =>
  Array.from({ length: LISTED }, (_, n) =>
    listedConnector({
      slug: `listed-${n}`,
      name: n === 41 ? SEARCH_TERM : `${KINDS[n % KINDS.length]} ${n}`,
      summary: SUMMARIES[n % SUMMARIES.length] as string,
      categories: [connectorCategories[n % connectorCategories.length] as ConnectorCategory],
    }),
  )

/** Starts the service with 60 connectors and opens the picker of a session whose user has already connected one of them. */
export const startLinkPage = async (browser: Browser): Promise<LinkPage> => {
  const listed = listConnectors()
  const { folder, remove } = writeConnectors(listed)
  const service = await startTestService('postgres', {
    CONNECTORS_DIRECTORY: folder,
    LOG_LEVEL: 'silent',
  })
  const user = await service.createUser()
  await connectVault(
    browser,
    service,
    (await service.mint(user.id, { connector: 'sandbox-vault' })).magic_link_url,
  )
  const { link_token } = await service.mint(user.id)
  const { url } = (await (
    await fetch(`${service.baseUrl}/link/sessions`, {
      method: 'POST',
      headers: { origin: service.baseUrl, authorization: `Bearer ${link_token}` },
    })
  ).json()) as TradedSession
  const response = await fetch(url, { headers: { 'accept-language': 'en' } })
  const {
    'content-security-policy': _,
    'content-length': __,
    date: ___,
    ...headers
  } = Object.fromEntries(response.headers)
  return {
    url,
    html: await response.text(),
    headers,
    organization: 'Orbit',
    user: 'Ana Ruiz',
    connectors: [
      {
        slug: 'sandbox-notes',
        name: 'Notes',
        summary: 'Notes and notebooks',
        categories: ['productivity'],
      } as const,
      { slug: 'sandbox-vault', name: 'Vault', summary: 'Stored items', categories: ['files'] } as const,
      ...listed,
    ].map(({ slug, name, summary, categories: [category] }) => ({
      slug,
      name,
      summary,
      category,
      method: slug === 'sandbox-notes' ? 'oauth' : 'api_key',
      connected: slug === 'sandbox-vault',
      tint: tint({ slug, tint: null }),
    })),
    stop: async () => {
      await service.stop()
      remove()
    },
  }
}

const connectVault = async (browser: Browser, { sandbox }: TestService, link: string): Promise<void> => {
  const page = await browser.newPage()
  await page.goto(link)
  await page.locator('[name=api_key]').fill(sandbox.vaultKeys.ana)
  await page.locator('.primary').click()
  await page.locator('.joined').waitFor()
  await page.context().close()
}

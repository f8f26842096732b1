import {
  type ConnectorCategory,
  type ConnectorFile,
  connectorCategories,
  type TradedSession,
} from '@carabiner/contract'
import type { Browser } from 'playwright-core'
import { tint } from '../../../server/src/features/link/views/layout.ts'
import { listedConnector, writeConnectors } from '../../../server/test/support/listed-connectors.ts'
import { startTestService, type TestService } from '../../../server/test/support/test-service.ts'

/** With the two that the service brings along. */
const LISTED = 58
export const CONNECTORS = LISTED + 2
/** A word that one connector alone has. */
export const WANTED = 'Harbour 41'

export type Listed = Pick<ConnectorFile, 'slug' | 'name' | 'summary'> & {
  category: ConnectorCategory
  method: 'oauth' | 'api_key'
  connected: boolean
  tint: string
}
export type LinkPage = {
  url: string
  /** As the service sends it. */
  html: string
  headers: Record<string, string>
  organization: string
  user: string
  connectors: Listed[]
  stop: () => Promise<void>
}

const KINDS = ['Harbour', 'Meadow', 'Quarry', 'Signal', 'Timber', 'Voyage']
const SUMMARIES = ['Issues and projects', 'Messages, drafts and search', 'Spreadsheets', 'Files and folders']

const listConnectors = (): ConnectorFile[] =>
  Array.from({ length: LISTED }, (_, n) =>
    listedConnector({
      slug: `listed-${n}`,
      name: n === 41 ? WANTED : `${KINDS[n % KINDS.length]} ${n}`,
      summary: SUMMARIES[n % SUMMARIES.length] as string,
      categories: [connectorCategories[n % connectorCategories.length] as ConnectorCategory],
    }),
  )

/** The service with sixty connectors, and the page of one session on which a person, who has connected one, picks another. */
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
      headers: { origin: service.baseUrl },
      body: new URLSearchParams({ link_token }),
    })
  ).json()) as TradedSession
  const answer = await fetch(url, { headers: { 'accept-language': 'en' } })
  const {
    'content-security-policy': _,
    'content-length': __,
    date: ___,
    ...headers
  } = Object.fromEntries(answer.headers)
  return {
    url,
    html: await answer.text(),
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

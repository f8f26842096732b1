import { join } from 'node:path'
import {
  type ConnectorCategory,
  type ConnectorFile,
  connectorCategories,
  type LinkCustomizationPatch,
  type LinkTokenRequest,
} from '@carabiner/contract'
import type { Browser } from 'playwright-core'
import { rolldown } from 'rolldown'
import { buildPackages } from '../../scripts/build-packages.ts'
import { sitesConnector, useOwnApp } from '../../server/test/support/acme-connectors.ts'
import { listedConnector, writeConnectors } from '../../server/test/support/listed-connectors.ts'
import {
  startTestService,
  type TestOrganization,
  type TestService,
} from '../../server/test/support/test-service.ts'
import { type Application, startApplication } from '../support/application.ts'
import { startBrowser } from '../support/browser.ts'

/** Appearance of an organization: its settings and logos. */
export type Brand = LinkCustomizationPatch & { logos?: Record<'light' | 'dark', string> }

export type Link = { userId: string; token: string; link: string }

/** The service, with two connectors for most states and fourteen for some, an application, and a browser. */
export type Stage = {
  service: TestService
  application: Application
  browser: Browser
  /** Creates a user of Orbit and a link. Default connector: Notes. */
  createLink: (body?: LinkTokenRequest, organization?: TestOrganization) => Promise<Link>
  /** An organization that offers all connectors. */
  allConnectorsOrganization: TestOrganization
  /** Returns the organization with this appearance, and creates it on first use. */
  branded: (name: string, brand: Brand) => Promise<TestOrganization>
  /** URL of the session page for a token. */
  exchangeToken: (token: string) => Promise<string>
  /** Script with which an application's page embeds Link. */
  component: () => Promise<string>
  stop: () => Promise<void>
}

const NAMES = [
  'Boards',
  'Calendar',
  'Chatter',
  'Deploys',
  'Forms',
  'Kartenverwaltungsarchiv und Planablage',
  'Ledger',
  'Mail',
  'Metrics',
  'Sheets',
  'Tickets',
  'العقود',
]

const listed = () =>
  NAMES.map((name, n) =>
    listedConnector({
      slug: `listed-${n}`,
      name,
      summary: ['Issues and projects', 'Messages, drafts and search', 'Spreadsheets'][n % 3] as string,
      categories: [connectorCategories[n % connectorCategories.length] as ConnectorCategory],
    }),
  )

const LIST_AREAS: ConnectorFile['tools'][number] = {
  name: 'list_areas',
  title: 'List areas',
  description: 'Lists areas.',
  input_schema: { type: 'object', properties: {}, additionalProperties: false },
  scopes: [],
  request: { method: 'GET', url: 'https://{tenant.area}.example.com/areas' },
  read_only: true,
}

/** A connector whose accounts have several sites. */
export const SITES = sitesConnector.slug
/** A connector with two methods and a host of the customer. */
export const AREAS = 'areas'
const areas = (): ConnectorFile => ({
  ...listedConnector({ slug: AREAS, name: 'Areas', summary: 'Maps of areas', categories: ['data'] }),
  logo: { letters: 'AR', color: '#2e7d32' },
  tenant: [
    {
      name: 'area',
      label: 'Area',
      hint: 'The part before .areas.example in the address you know.',
      placeholder: 'your-company',
      suffix: '.areas.example',
      secret: false,
      pattern: '[a-z]{1,20}',
    },
    {
      name: 'region',
      label: 'Region',
      hint: 'The region that your maps are stored in.',
      secret: false,
      choices: [
        { value: 'eu', label: 'Europe' },
        { value: 'au', label: 'Australia' },
      ],
    },
  ],
  authorization: [
    {
      type: 'oauth2',
      authorization_endpoint: 'https://example.com/authorize',
      token_endpoint: 'https://example.com/token',
      client_authentication: 'client_secret_basic',
      pkce: 'S256',
      scopes: [{ name: 'read', title: 'Read your maps', detail: 'Also those that were shared with you' }],
    },
    {
      type: 'api_key',
      fields: [
        { name: 'email', label: 'Email address', secret: false },
        { name: 'api_key', label: 'API key', secret: true },
      ],
      help_url: 'https://example.com/keys',
      headers: { authorization: 'Bearer {api_key}', 'x-email': '{email}' },
    },
  ],
  identity: { url: 'https://{tenant.area}.example.com/{tenant.region}/me', account: '/email' },
  credential_origins: ['https://{tenant.area}.example.com'],
  tools: [LIST_AREAS],
})

export const startStage = async (): Promise<Stage> => {
  const { folder, remove } = writeConnectors([...listed(), areas(), sitesConnector])
  const [service, application, browser] = await Promise.all([
    startTestService('postgres', { TRUST_PROXY: 'loopback', CONNECTORS_DIRECTORY: folder }),
    startApplication(),
    startBrowser(),
    buildPackages(),
  ])
  await service.allowOrigin(application.origin)
  await service.allowOrigin('myapp://')
  await service.query('update tool_packs set connectors = $1', [['sandbox-notes', 'sandbox-vault', AREAS]])
  await service.call('PUT', `/api/v1/connectors/${AREAS}/oauth-app`, {
    body: { client_id: 'orbit', client_secret: 'not a secret' },
  })
  const newOrganization = async (name: string) => {
    const organization = await service.createOrganization(name)
    await service.allowOrigin(application.origin, organization.key)
    return organization
  }
  const allConnectorsOrganization = await newOrganization('Orbit')
  await useOwnApp(service, SITES, allConnectorsOrganization.key)
  const brands = new Map<string, Promise<TestOrganization>>()
  let component: Promise<string> | undefined
  return {
    service,
    application,
    browser,
    createLink: async (body = { connector: 'sandbox-notes' }, { key } = service.organization) => {
      const { id: userId } = await service.createUser({}, key)
      const { link_token: token, magic_link_url: link } = await service.mint(userId, body, key)
      return { userId, token, link }
    },
    allConnectorsOrganization,
    branded: (name, brand) => {
      const organization =
        brands.get(name) ??
        newOrganization(name).then(created => applyBrand({ service, browser }, created, brand))
      brands.set(name, organization)
      return organization
    },
    exchangeToken: async token => {
      const response = await fetch(`${service.baseUrl}/link/sessions`, {
        method: 'POST',
        headers: { origin: application.origin, authorization: `Bearer ${token}` },
      })
      return ((await response.json()) as { url: string }).url
    },
    component: () => {
      component ??= bundleComponent()
      return component
    },
    stop: async () => {
      await browser.close()
      await Promise.all([service.stop(), application.stop()])
      remove()
    },
  }
}

const applyBrand = async (
  { service, browser }: { service: TestService; browser: Browser },
  organization: TestOrganization,
  { logos, ...patch }: Brand,
): Promise<TestOrganization> => {
  const { key } = organization
  const assertSuccess = async (response: Promise<{ status: number; text: string }>) => {
    const { status, text } = await response
    if (status >= 300) throw new Error(`${status}: ${text}`)
  }
  await assertSuccess(service.call('PATCH', '/api/v1/link-customization', { key, body: patch }))
  for (const [theme, color] of Object.entries(logos ?? {})) {
    await assertSuccess(
      fetch(`${service.baseUrl}/api/v1/link-customization/logo/${theme}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'image/png' },
        body: new Uint8Array(await drawLogo(browser, color)),
      }).then(async response => ({ status: response.status, text: await response.text() })),
    )
  }
  return organization
}

/** A wide logo with a transparent background, so each theme needs its own version. */
const drawLogo = async (browser: Browser, color: string): Promise<Buffer> => {
  const page = await browser.newPage({ viewport: { width: 480, height: 96 } })
  await page.setContent(
    `<svg width="480" height="96" style="position:fixed;inset:0"><g fill="${color}"><circle cx="48" cy="48" r="40"/><rect x="112" y="28" width="350" height="40" rx="8"/></g></svg>`,
  )
  const image = await page.screenshot({ omitBackground: true })
  await page.close()
  return image
}

const bundleComponent = async (): Promise<string> => {
  await using bundle = await rolldown({
    input: join(import.meta.dirname, '../../packages/link/dist/index.js'),
    platform: 'browser',
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'CarabinerLink', minify: true })
  return output[0].code
}

import {
  type ApiKeyMethod,
  apiKeyMethod,
  type ConnectorField,
  type ConnectorFile,
  connectorCategories,
  oauthMethod,
} from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import type { CatalogConnector } from '../../connectors/catalog/catalog.ts'
import type { Translate } from '../../connectors/catalog/translations.ts'
import type { KnownTool } from '../../connectors/mcp-servers/known-tools.ts'
import type { ServedConnector } from '../../connectors/mcp-servers/mcp-connector.ts'
import { brandOf } from '../../organizations/link-customization.ts'
import { serialiseView, viewQuery } from '../attempts/view.ts'
import * as views from '../views/index.ts'
import { nearestTint } from '../views/nearest-tint.ts'
import { abilitiesOf } from './abilities-of.ts'
import type { BrowserBinding } from './browser-binding.ts'
import { frameOf, type Visit } from './page-response.ts'
import { inOrder, type Product, productName, productsOf, signsIn } from './product.ts'
import { isInsideApp } from './visitor.ts'

/** What an open session shows: the connectors to choose from, the consent for one, or the form for its key. */
export type SessionPage = {
  visit: Visit
  browsers: BrowserBinding
  translate: Translate
  /** Where the step to a third party starts, whatever page leads there. */
  connectUrl: string
  offered: ServedConnector[]
  chosen: ServedConnector | null
  /** Of the chosen connector. */
  tools: KnownTool[]
  /** Which of its methods, where it has several. */
  method: string | null
  problem: views.KeyProblem | null
  /** The field that the problem is about, where it is about one. */
  blamed: string | null
  /** What was typed before; secrets are never written back. */
  typed: Record<string, string | undefined>
  /** What the organization's own app asks for. */
  ownScopes: string[] | null
}

export const sessionPage = (page: SessionPage): SafeHtml => {
  const { chosen } = page
  if (!chosen) return picker(page)
  const key = apiKeyMethod(chosen)
  if (key && (!signsIn(chosen) || page.method === 'api_key')) return keyForm(page, chosen, key)
  return consent(page, chosen)
}

export const face = (connector: CatalogConnector, translate: Translate): views.ConnectorFace => ({
  slug: connector.slug,
  name: productName(connector),
  summary: summaryOf(connector, translate),
  categories: connector.categories,
  letters: connector.logo?.letters ?? null,
  tint: connector.logo ? nearestTint(connector.logo.colour) : null,
  logo: connector.logoPath ?? null,
  method: signsIn(connector) ? 'oauth' : 'api_key',
})

/** An organization writes the summary of its own MCP server in any language, so only an exact match is translated. */
const summaryOf = ({ serverId, summary }: ServedConnector, translate: Translate): views.ConnectorText => {
  const translated = translate(summary)
  return serverId !== undefined && typeof translated !== 'string' ? summary : translated
}

/** The face of a product: that of its preferred connector, found by the words for any of them. */
export const productFace = ({ name, connectors }: Product<ServedConnector>, translate: Translate) => ({
  ...face(connectors[0] as ServedConnector, translate),
  name,
  categories: [...new Set(connectors.flatMap(({ categories }) => categories))],
  keywords: [...new Set(connectors.flatMap(({ keywords = [] }) => keywords))],
})

/** A form of a top-level page is bound to its browser by a cookie, one of a page that may be framed by the page's own token. */
export const formTarget = (
  browsers: BrowserBinding,
  { door, request, reply, handle, view }: Visit,
  action: string,
  slug?: string,
): views.FormTarget => ({
  action,
  fields: {
    ...(door === 'link'
      ? { page_token: browsers.framedToken(handle) }
      : { form_token: browsers.formToken(browsers.ensure(request, reply), handle) }),
    view: serialiseView(view),
    ...(slug && { connector: slug }),
  },
})

const own = ({ browsers, visit }: SessionPage, path: string, slug?: string): views.FormTarget =>
  formTarget(browsers, visit, `${visit.base}${path}`, slug)

const backHref = ({ visit: { session, base, view } }: SessionPage): string | null =>
  session.locked_connector === null ? `${base}${viewQuery(view)}` : null

const picker = (page: SessionPage): SafeHtml => {
  const { visit, offered } = page
  const { base, view, session, request } = visit
  const query = request.query as Record<string, unknown>
  return views.pickerPage(frameOf(visit), {
    connectors: inOrder(productsOf(offered), brandOf(session)).map(product => ({
      ...productFace(product, page.translate),
      connected: product.connectors.some(({ slug }) => Object.hasOwn(session.linked_accounts, slug)),
    })),
    chooseHref: slug => `${base}${viewQuery(view, { connector: slug })}`,
    cancel: own(page, '/cancel'),
    narrowed: {
      query: typeof query.q === 'string' ? query.q.slice(0, 60) : '',
      category: connectorCategories.find(known => known === query.category) ?? null,
    },
    narrowHref: category => `${base}${viewQuery(view, { category })}`,
    view: Object.fromEntries(new URLSearchParams(viewQuery(view))),
  })
}

const consent = (page: SessionPage, connector: ConnectorFile): SafeHtml => {
  const { visit, browsers, connectUrl } = page
  const { base, view, request, session } = visit
  const { slug } = connector
  const embedded = visit.door === 'link' && view.surface === 'embedded'
  // A frame has no cookie: this value tells the frame that started an attempt from every other page of the session.
  const seen = embedded ? browsers.unbound() : null
  const start = formTarget(browsers, visit, `${connectUrl}/start`, slug)
  // What becomes of the other window is heard from the server.
  const data = embedded
    ? {
        events: `${base}/events`,
        done: `${base}/done${viewQuery(view, { seen, news: '1' })}`,
        home: `${base}${viewQuery(view)}`,
        ended: `${base}/ended${viewQuery(view)}`,
      }
    : {}
  return views.consentPage(frameOf(visit, data, { more: { connector: slug } }), {
    connector: face(connector, page.translate),
    abilities: abilities(page, connector, true),
    fields: tenantFields(page, connector),
    problem: page.problem,
    ways: [
      ...(apiKeyMethod(connector) ? [{ by: 'key', href: methodHref(page, slug, 'api_key') } as const] : []),
      ...otherConnectors(page, connector),
    ],
    alreadyConnectedAs: Object.hasOwn(session.linked_accounts, slug)
      ? (session.linked_accounts[slug] ?? null)
      : null,
    start: seen === null ? start : { ...start, fields: { ...start.fields, seen } },
    cancel: own(page, '/cancel', slug),
    backHref: backHref(page),
    opensWindow: embedded,
    insideApp: isInsideApp(request.headers['user-agent']),
  })
}

const abilities = (
  { visit: { session }, tools, ownScopes, translate }: SessionPage,
  connector: ConnectorFile,
  bySignIn: boolean,
): views.Abilities =>
  abilitiesOf({
    connector,
    tools,
    choices: session.pack_choices ?? {},
    bySignIn,
    ownScopes,
    moreScopes:
      session.locked_connector === connector.slug && session.more_scopes?.length ? session.more_scopes : null,
    grantedScopes: session.granted_scopes ?? [],
    translate,
  })

/** The other connectors of the same product. A link that is locked to one offers none. */
const otherConnectors = ({ visit, offered }: SessionPage, connector: ConnectorFile): views.OtherWay[] =>
  offered
    .filter(other => other.slug !== connector.slug && productName(other) === productName(connector))
    .map(other => ({
      ...wayTo(connector, other),
      href: `${visit.base}${viewQuery(visit.view, { connector: other.slug })}`,
    }))

/** The method tells two connectors of a product apart, unless they share one: then the name does. */
const wayTo = (connector: ConnectorFile, other: ConnectorFile) => {
  if (other.mcp) return { by: 'server' } as const
  const types = connector.authorization.map(({ type }) => type)
  if (other.authorization.some(({ type }) => types.includes(type)))
    return { by: 'connector', connector: other.name } as const
  return { by: signsIn(other) ? 'sign_in' : 'key' } as const
}

const methodHref = ({ visit: { base, view, session } }: SessionPage, slug: string, method: string): string =>
  `${base}${viewQuery(view, { connector: session.locked_connector === null ? slug : null, method })}`

const toField =
  ({ typed, translate }: SessionPage, prefix: string) =>
  ({ name, label, hint, placeholder, suffix, secret, pattern, choices }: ConnectorField): views.KeyField => ({
    name: `${prefix}${name}`,
    label: translate(label),
    hint: hint === undefined ? null : translate(hint),
    placeholder: placeholder ?? null,
    suffix: suffix ?? null,
    secret,
    pattern: pattern ?? null,
    choices: choices?.map(choice => ({ value: choice.value, label: translate(choice.label) })) ?? null,
    value: secret ? null : (typed[`${prefix}${name}`] ?? null),
  })

const tenantFields = (page: SessionPage, { tenant = [] }: ConnectorFile): views.KeyField[] =>
  tenant.map(toField(page, views.TENANT_PREFIX))

const keyForm = (page: SessionPage, connector: ConnectorFile, method: ApiKeyMethod): SafeHtml => {
  const { slug } = connector
  return views.apiKeyPage(frameOf(page.visit, {}, { more: { connector: slug } }), {
    connector: face(connector, page.translate),
    abilities: abilities(page, connector, false),
    fields: [...tenantFields(page, connector), ...method.fields.map(toField(page, ''))],
    steps: (method.steps ?? []).map(page.translate),
    helpUrl: method.help_url ?? null,
    problem: page.problem,
    blamed: page.blamed,
    submit: own(page, '/api-key', slug),
    cancel: own(page, '/cancel', slug),
    backHref: backHref(page),
    ways: [
      ...(oauthMethod(connector) ? [{ by: 'sign_in', href: methodHref(page, slug, 'oauth2') } as const] : []),
      ...otherConnectors(page, connector),
    ],
  })
}

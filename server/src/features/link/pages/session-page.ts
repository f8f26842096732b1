import {
  type ConnectorFile,
  connectorCategories,
  type FormMethod,
  formMethod,
  oauthMethod,
  signInMethod,
} from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import type { CatalogConnector } from '../../connectors/catalog/catalog.ts'
import type { Translate } from '../../connectors/catalog/translations.ts'
import { tintOf } from '../../connectors/connector-tile.ts'
import type { KnownTool } from '../../connectors/mcp-servers/known-tools.ts'
import type { ServedConnector } from '../../connectors/mcp-servers/mcp-connector.ts'
import { brandOf } from '../../organizations/link-customization.ts'
import type { BrowserBinding } from '../../pages/browser-binding.ts'
import { frameOf } from '../../pages/page-response.ts'
import { serializeView, viewQuery } from '../../pages/view.ts'
import * as views from '../../pages/views/index.ts'
import { asksFor } from '../../upstream/authorization-kinds/authorization-kinds.ts'
import { addedScopes, sessionScopes } from '../attempts/session-scopes.ts'
import { abilitiesOf } from './abilities-of.ts'
import { toField } from './form-field.ts'
import { linkedBy, type Product, productName, productsOf, sortProducts, usesSignIn } from './product.ts'
import { serverField, serverHost } from './server-binding.ts'
import type { SessionPageContext } from './session-context.ts'
import { isInAppBrowser } from './user-agent.ts'

/** The page of an open session: the connector picker, the consent page, or the API-key form. */
export type SessionPage = {
  context: SessionPageContext
  browsers: BrowserBinding
  translate: Translate
  /** The address at which authorization starts, for every page. */
  connectUrl: string
  offered: ServedConnector[]
  chosen: ServedConnector | null
  /** The tools of the chosen connector. */
  tools: KnownTool[]
  reconnectReason: views.ReconnectReason | null
  /** The selected authorization method, if the connector has several. */
  method: string | null
  problem: views.KeyProblem | null
  /** The field that the problem is about, if it is about a single field. */
  invalidField: string | null
  /** Values entered before; secrets are never written back. */
  typed: Record<string, string | undefined>
  /** The scopes that the organization's own OAuth app requests. */
  ownScopes: string[] | null
}

export const sessionPage = (page: SessionPage): SafeHtml => {
  const { chosen } = page
  if (!chosen) return picker(page)
  const form = formMethod(chosen)
  if (form && (!usesSignIn(chosen) || page.method === form.type)) return keyForm(page, chosen, form)
  return consent(page, chosen)
}

export const connectorDisplay = (
  connector: CatalogConnector,
  translate: Translate,
): views.ConnectorDisplay => ({
  slug: connector.slug,
  name: productName(connector),
  summary: summaryOf(connector, translate),
  categories: connector.categories,
  letters: connector.logo?.letters ?? null,
  tint: tintOf(connector),
  logo: connector.logoPath ?? null,
  linkedBy: linkedBy(connector),
})

/** An organization may write the summary of its own MCP server in any language, so only exact matches are translated. */
const summaryOf = ({ serverId, summary }: ServedConnector, translate: Translate): views.ConnectorText => {
  const translated = translate(summary)
  return serverId !== undefined && typeof translated !== 'string' ? summary : translated
}

/** The display data of a product: that of its preferred connector, with the categories and keywords of all of them. */
export const productDisplay = ({ name, connectors }: Product<ServedConnector>, translate: Translate) => ({
  ...connectorDisplay(connectors[0] as ServedConnector, translate),
  name,
  categories: [...new Set(connectors.flatMap(({ categories }) => categories))],
  keywords: [...new Set(connectors.flatMap(({ keywords = [] }) => keywords))],
})

/** A form of a top-level page is bound to its browser by a cookie; a form of a page that may be framed carries a page token. */
export const formTarget = (
  browsers: BrowserBinding,
  {
    mount,
    request,
    reply,
    handle,
    view,
  }: Pick<SessionPageContext, 'mount' | 'request' | 'reply' | 'handle' | 'view'>,
  action: string,
  slug?: string,
): views.FormTarget => ({
  action,
  fields: {
    ...(mount === 'link'
      ? { page_token: browsers.framedToken(handle) }
      : { form_token: browsers.formToken(browsers.ensure(request, reply), handle) }),
    view: serializeView(view),
    ...(slug && { connector: slug }),
  },
})

const formFor = ({ browsers, context }: SessionPage, path: string, slug?: string): views.FormTarget =>
  formTarget(browsers, context, `${context.base}${path}`, slug)

const withFields = (target: views.FormTarget, fields: Record<string, string>): views.FormTarget => ({
  ...target,
  fields: { ...target.fields, ...fields },
})

const backHref = ({ context: { session, base, view } }: SessionPage): string | null =>
  session.lockedConnector === null ? `${base}${viewQuery(view)}` : null

const picker = (page: SessionPage): SafeHtml => {
  const { context, offered } = page
  const { base, view, session, request } = context
  const query = request.query as Record<string, unknown>
  return views.pickerPage(frameOf(context), {
    connectors: sortProducts(productsOf(offered), brandOf(session)).map(product => ({
      ...productDisplay(product, page.translate),
      connected: product.connectors.some(({ slug }) => Object.hasOwn(session.linkedAccounts, slug)),
    })),
    chooseHref: slug => `${base}${viewQuery(view, { connector: slug })}`,
    cancel: formFor(page, '/cancel'),
    filter: {
      query: typeof query.q === 'string' ? query.q.slice(0, 60) : '',
      category: connectorCategories.find(known => known === query.category) ?? null,
    },
    filterHref: category => `${base}${viewQuery(view, { category })}`,
    view: Object.fromEntries(new URLSearchParams(viewQuery(view))),
  })
}

const consent = (page: SessionPage, connector: ServedConnector): SafeHtml => {
  const { context, browsers, connectUrl } = page
  const form = formMethod(connector)
  const { base, view, request, session } = context
  const { slug } = connector
  const embedded = context.mount === 'link' && view.surface === 'embedded'
  // A frame has no cookie; this value distinguishes the frame that started the attempt from other pages of the session.
  const seen = embedded ? browsers.unbound() : null
  const start = withFields(formTarget(browsers, context, `${connectUrl}/start`, slug), {
    ...serverField(connector),
    ...(seen !== null && { seen }),
  })
  // The outcome in the other window is received as server-sent events.
  const data = embedded
    ? {
        events: `${base}/events`,
        done: `${base}/done${viewQuery(view, { seen, news: '1' })}`,
        home: `${base}${viewQuery(view)}`,
        ended: `${base}/ended${viewQuery(view)}`,
      }
    : {}
  return views.consentPage(frameOf(context, data, { more: { connector: slug } }), {
    connector: connectorDisplay(connector, page.translate),
    abilities: abilities(page, connector, true),
    fields: tenantFields(page, connector),
    problem: page.problem,
    alternatives: [
      ...(form ? [{ by: asksFor(form), href: methodHref(page, slug, form.type) }] : []),
      ...otherConnectorMethods(page, connector),
    ],
    alreadyConnectedAs: Object.hasOwn(session.linkedAccounts, slug)
      ? (session.linkedAccounts[slug] ?? null)
      : null,
    reconnectReason: page.reconnectReason,
    endsSharing: session.isShared && session.lockedConnector === slug,
    serverHost: serverHost(connector),
    start,
    cancel: formFor(page, '/cancel', slug),
    backHref: backHref(page),
    opensWindow: embedded,
    insideApp: isInAppBrowser(request.headers['user-agent']),
  })
}

const abilities = (
  { context: { session }, tools, ownScopes, translate }: SessionPage,
  connector: ConnectorFile,
  bySignIn: boolean,
): views.Abilities => {
  const method = oauthMethod(connector)
  return abilitiesOf({
    connector,
    tools,
    choices: session.pack.choices,
    bySignIn,
    requested: method ? sessionScopes(session, connector, method, ownScopes) : [],
    added: addedScopes(session, connector),
    translate,
  })
}

/** The other connectors of the same product. A locked link offers none. */
const otherConnectorMethods = (
  { context, offered }: SessionPage,
  connector: ConnectorFile,
): views.AlternativeMethod[] =>
  offered
    .filter(other => other.slug !== connector.slug && productName(other) === productName(connector))
    .map(other => ({
      ...alternativeMethod(connector, other),
      href: `${context.base}${viewQuery(context.view, { connector: other.slug })}`,
    }))

/** Connectors of a product are distinguished by their method or, if they share one, by name. */
const alternativeMethod = (connector: ConnectorFile, other: ConnectorFile) => {
  if (other.mcp) return { by: 'server' } as const
  const types = connector.authorization.map(({ type }) => type)
  if (other.authorization.some(({ type }) => types.includes(type)))
    return { by: 'connector', connector: other.name } as const
  return { by: linkedBy(other) }
}

const methodHref = (
  { context: { base, view, session } }: SessionPage,
  slug: string,
  method: string,
): string =>
  `${base}${viewQuery(view, { connector: session.lockedConnector === null ? slug : null, method })}`

const tenantFields = (page: SessionPage, { tenant = [] }: ConnectorFile): views.KeyField[] =>
  tenant.map(field => toField(page, field, views.TENANT_PREFIX))

const keyForm = (page: SessionPage, connector: ServedConnector, method: FormMethod): SafeHtml => {
  const { slug } = connector
  const { session } = page.context
  const signIn = signInMethod(connector)
  return views.apiKeyPage(frameOf(page.context, {}, { more: { connector: slug } }), {
    connector: connectorDisplay(connector, page.translate),
    abilities: abilities(page, connector, false),
    asksFor: asksFor(method),
    fields: [...tenantFields(page, connector), ...method.fields.map(field => toField(page, field))],
    steps: (method.steps ?? []).map(page.translate),
    helpUrl: method.help_url ?? null,
    problem: page.problem,
    invalidField: page.invalidField,
    reconnectReason: page.reconnectReason,
    endsSharing: session.isShared && session.lockedConnector === slug,
    serverHost: serverHost(connector),
    submit: withFields(formFor(page, '/api-key', slug), serverField(connector)),
    cancel: formFor(page, '/cancel', slug),
    backHref: backHref(page),
    alternatives: [
      ...(signIn ? [{ by: 'sign_in', href: methodHref(page, slug, signIn.type) } as const] : []),
      ...otherConnectorMethods(page, connector),
    ],
  })
}

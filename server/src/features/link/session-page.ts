import {
  type ApiKeyMethod,
  apiKeyMethod,
  type ConnectorCategory,
  type ConnectorField,
  type ConnectorFile,
  type OAuthMethod,
  oauthMethod,
} from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import { type Brand, brandOf } from '../organizations/link-customization.ts'
import type { BrowserBinding } from './browser-binding.ts'
import { frameOf, type Visit } from './page-answer.ts'
import { serialiseView, viewQuery } from './view.ts'
import * as views from './views/index.ts'
import { nearestTint } from './views/nearest-tint.ts'
import { isInsideApp } from './visitor.ts'

/** What an open session shows: the connectors to choose from, the consent for one, or the form for its key. */
export type SessionPage = {
  visit: Visit
  browsers: BrowserBinding
  /** Where the step to a third party starts, whatever page leads there. */
  connectUrl: string
  offered: ConnectorFile[]
  chosen: ConnectorFile | null
  /** Which of its methods, where it has several. */
  method: string | null
  problem: views.KeyProblem | null
  /** What was typed before; secrets are never written back. */
  typed: Record<string, string | undefined>
  /** What the organization's own app asks for. */
  ownScopes: string[] | null
}

export const sessionPage = (page: SessionPage): SafeHtml => {
  const { chosen } = page
  if (!chosen) return picker(page)
  const oauth = oauthMethod(chosen)
  const key = apiKeyMethod(chosen)
  if (key && (!signsIn(chosen) || page.method === 'api_key')) return keyForm(page, chosen, key)
  return consent(page, chosen, oauth)
}

/** By OAuth, or by what a server that nobody here has asked yet will tell. */
export const signsIn = (connector: ConnectorFile): boolean =>
  oauthMethod(connector) !== null || (connector.mcp !== undefined && apiKeyMethod(connector) === null)

export const face = (connector: ConnectorFile): views.ConnectorFace => ({
  slug: connector.slug,
  name: connector.name,
  summary: connector.summary,
  category: connector.categories[0] as ConnectorCategory,
  letters: connector.logo?.letters ?? null,
  tint: connector.logo ? nearestTint(connector.logo.colour) : null,
  method: signsIn(connector) ? 'oauth' : 'api_key',
})

/** Those that the organization named come first, in its order; the others follow in the catalogue's. */
export const inOrder = (files: ConnectorFile[], { connectorOrder }: Brand): ConnectorFile[] => {
  const rank = ({ slug }: ConnectorFile) =>
    connectorOrder.includes(slug) ? connectorOrder.indexOf(slug) : connectorOrder.length
  return files.toSorted((a, b) => rank(a) - rank(b))
}

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
    connectors: inOrder(offered, brandOf(session)).map(file => ({
      ...face(file),
      connected: Object.hasOwn(session.linked_accounts, file.slug),
    })),
    chooseHref: slug => `${base}${viewQuery(view, { connector: slug })}`,
    cancel: own(page, '/cancel'),
    narrowed: {
      query: typeof query.q === 'string' ? query.q.slice(0, 60) : '',
      category: typeof query.category === 'string' ? query.category : null,
    },
    narrowHref: category => `${base}${viewQuery(view, { category })}`,
    view: Object.fromEntries(new URLSearchParams(viewQuery(view))),
  })
}

const consent = (page: SessionPage, connector: ConnectorFile, method: OAuthMethod | null): SafeHtml => {
  const { visit, browsers, connectUrl } = page
  const { base, view, request, session } = visit
  const { slug } = connector
  const embedded = visit.door === 'link' && view.surface === 'embedded'
  // What becomes of the other window is heard from the server.
  const data = embedded
    ? {
        events: `${base}/events`,
        done: `${base}/done${viewQuery(view)}`,
        home: `${base}${viewQuery(view)}`,
        ended: `${base}/ended${viewQuery(view)}`,
      }
    : {}
  return views.consentPage(frameOf(visit, data, { more: { connector: slug } }), {
    connector: face(connector),
    permissions: permissionsOf(page, connector, method),
    fields: tenantFields(page, connector),
    problem: page.problem,
    keyHref: apiKeyMethod(connector) && methodHref(page, slug, 'api_key'),
    alreadyConnectedAs: Object.hasOwn(session.linked_accounts, slug)
      ? (session.linked_accounts[slug] ?? null)
      : null,
    start: formTarget(browsers, visit, `${connectUrl}/start`, slug),
    cancel: own(page, '/cancel', slug),
    backHref: backHref(page),
    opensWindow: embedded,
    insideApp: isInsideApp(request.headers['user-agent']),
  })
}

/** What is asked for, in words: all of it, or what comes on top of what the user has granted already. */
const permissionsOf = (
  { visit: { session }, ownScopes }: SessionPage,
  connector: ConnectorFile,
  method: OAuthMethod | null,
): views.Permission[] => {
  if (!method) return []
  const more = session.locked_connector === connector.slug ? session.more_scopes : null
  const asked = more ?? ownScopes ?? method.scopes.filter(({ optional }) => !optional).map(({ name }) => name)
  return asked.map(name => {
    const known = method.scopes.find(scope => scope.name === name)
    return { title: known?.title ?? name, detail: known?.detail ?? null }
  })
}

const methodHref = ({ visit: { base, view, session } }: SessionPage, slug: string, method: string): string =>
  `${base}${viewQuery(view, { connector: session.locked_connector === null ? slug : null, method })}`

const toField =
  ({ typed }: SessionPage, prefix: string) =>
  ({ name, label, hint, placeholder, suffix, secret }: ConnectorField): views.KeyField => ({
    name: `${prefix}${name}`,
    label,
    hint: hint ?? null,
    placeholder: placeholder ?? null,
    suffix: suffix ?? null,
    secret,
    value: secret ? null : (typed[`${prefix}${name}`] ?? null),
  })

const tenantFields = (page: SessionPage, { tenant = [] }: ConnectorFile): views.KeyField[] =>
  tenant.map(toField(page, views.TENANT_PREFIX))

const keyForm = (page: SessionPage, connector: ConnectorFile, method: ApiKeyMethod): SafeHtml => {
  const { slug } = connector
  return views.apiKeyPage(frameOf(page.visit, {}, { more: { connector: slug } }), {
    connector: face(connector),
    fields: [...tenantFields(page, connector), ...method.fields.map(toField(page, ''))],
    helpUrl: method.help_url ?? null,
    problem: page.problem,
    submit: own(page, '/api-key', slug),
    cancel: own(page, '/cancel', slug),
    backHref: backHref(page),
    signInHref: oauthMethod(connector) && methodHref(page, slug, 'oauth2'),
  })
}

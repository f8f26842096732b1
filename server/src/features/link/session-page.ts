import type { ApiKeyMethod, ConnectorFile, OAuthMethod } from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import { type Brand, brandOf } from '../organizations/link-customization.ts'
import type { BrowserBinding } from './browser-binding.ts'
import { frameOf, type Visit } from './page-answer.ts'
import { serialiseView, viewQuery } from './view.ts'
import * as views from './views/index.ts'
import { isInsideApp } from './visitor.ts'

/** What an open session shows: the connectors to choose from, the consent for one, or the form for its key. */
export type SessionPage = {
  visit: Visit
  browsers: BrowserBinding
  /** Where the step to a third party starts, whatever page leads there. */
  connectUrl: string
  offered: ConnectorFile[]
  chosen: ConnectorFile | null
  problem: views.KeyProblem | null
}

export const sessionPage = (page: SessionPage): SafeHtml => {
  if (!page.chosen) return picker(page)
  const { authorization } = page.chosen
  return authorization.type === 'oauth2'
    ? consent(page, page.chosen, authorization)
    : keyForm(page, page.chosen, authorization)
}

export const face = ({
  slug,
  name,
  summary,
  category,
  authorization,
}: ConnectorFile): views.ConnectorFace => ({
  slug,
  name,
  summary,
  category,
  method: authorization.type === 'oauth2' ? 'oauth' : 'api_key',
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
      connected: file.slug in session.linked_accounts,
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

const consent = (page: SessionPage, connector: ConnectorFile, method: OAuthMethod): SafeHtml => {
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
    permissions: method.scopes.map(({ title, detail }) => ({ title, detail: detail ?? null })),
    alreadyConnectedAs: session.linked_accounts[slug] ?? null,
    start: formTarget(browsers, visit, `${connectUrl}/start`, slug),
    cancel: own(page, '/cancel', slug),
    backHref: backHref(page),
    opensWindow: embedded,
    insideApp: isInsideApp(request.headers['user-agent']),
  })
}

const keyForm = (
  page: SessionPage,
  connector: ConnectorFile,
  { label, hint, placeholder, help_url }: ApiKeyMethod,
): SafeHtml =>
  views.apiKeyPage(frameOf(page.visit, {}, { more: { connector: connector.slug } }), {
    connector: face(connector),
    fields: [
      {
        name: 'api_key',
        label,
        hint: hint ?? null,
        placeholder: placeholder ?? null,
        secret: true,
        value: null,
      },
    ],
    helpUrl: help_url ?? null,
    problem: page.problem,
    submit: own(page, '/api-key', connector.slug),
    cancel: own(page, '/cancel', connector.slug),
    backHref: backHref(page),
  })

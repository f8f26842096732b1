import type { ApiKeyMethod, ConnectorFile, OAuthMethod } from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import type { SessionRow } from './link-session-store.ts'
import * as views from './views/index.ts'

/** What an open session shows: the connectors to choose from, the consent for one, or the form for its key. */
export type SessionPage = {
  frame: views.KnownFrame
  session: SessionRow
  handle: string
  formToken: string
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

export const face = ({ slug, name, summary, authorization }: ConnectorFile): views.ConnectorFace => ({
  slug,
  name,
  summary,
  method: authorization.type === 'oauth2' ? 'oauth' : 'api_key',
})

const target = ({ handle, formToken }: SessionPage, action: string, slug?: string): views.FormTarget => ({
  action: `/connect/${handle}/${action}`,
  fields: { form_token: formToken, ...(slug && { connector: slug }) },
})

const backHref = ({ session, handle }: SessionPage): string | null =>
  session.locked_connector === null ? `/connect/${handle}` : null

const picker = (page: SessionPage): SafeHtml =>
  views.pickerPage(page.frame, {
    connectors: page.offered.map(file => ({
      ...face(file),
      connected: file.slug in page.session.linked_accounts,
    })),
    chooseHref: slug => `?connector=${slug}`,
    cancel: target(page, 'cancel'),
  })

const consent = (page: SessionPage, connector: ConnectorFile, method: OAuthMethod): SafeHtml =>
  views.consentPage(page.frame, {
    connector: face(connector),
    permissions: method.scopes.map(({ title, detail }) => ({ title, detail: detail ?? null })),
    alreadyConnectedAs: page.session.linked_accounts[connector.slug] ?? null,
    start: target(page, 'start', connector.slug),
    cancel: target(page, 'cancel', connector.slug),
    backHref: backHref(page),
  })

const keyForm = (
  page: SessionPage,
  connector: ConnectorFile,
  { label, hint, placeholder, help_url }: ApiKeyMethod,
): SafeHtml =>
  views.apiKeyPage(page.frame, {
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
    submit: target(page, 'api-key', connector.slug),
    cancel: target(page, 'cancel', connector.slug),
    backHref: backHref(page),
  })

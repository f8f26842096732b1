import { html, type SafeHtml } from '@remix-run/html-template'
import { badge, ending } from './ending-page.ts'
import { heading, hiddenFields, note, page, pair, requestBar, userLine } from './layout.ts'
import type { ConnectorDisplay, FormTarget, KnownFrame, Outcome } from './model.ts'
import { appHref, ownPath } from './vetted-href.ts'
import { inline, type Sentence, say } from './words/sentence.ts'

export type SignInModel = {
  /** `host`: where the browser is sent with the code. Null: an application on the person's device. */
  client: { name: string; host: string | null }
  packName: string
  allow: FormTarget
  deny: FormTarget
}

/** Asks whether an MCP client may use the tools of a pack for this person. */
export function signInPage(frame: KnownFrame, { client, packName, allow, deny }: SignInModel): SafeHtml {
  const { signIn } = frame.words
  const organization = frame.organization.name
  const title = signIn.title(client.name, organization)
  return page(frame, {
    title,
    bar: requestBar(frame, deny, null),
    main: html`${pair(frame, displayOf(client.name), false)}
${heading(title)}
<p class="lead">${inline(signIn.lead(client.name, organization))}</p>
${userLine(frame)}
<dl class="receipt facts">${fact(signIn.client, say`${client.name}`)}${fact(signIn.returnsTo, client.host === null ? signIn.thisDevice : say`${client.host}`)}${fact(signIn.tools, say`${packName}`)}</dl>
${note('trust', 'shield', signIn.warning(client.name))}
<div class="actions"><form method="post" action="${ownPath(allow.action)}">${hiddenFields(allow)}<button class="button primary"><span>${inline(signIn.allow)}</span></button></form>
<form method="post" action="${ownPath(deny.action)}">${hiddenFields(deny)}<button class="button quiet"><span>${inline(signIn.deny)}</span></button></form></div>`,
    foot: null,
  })
}

export type BackToClientModel = {
  clientName: string
  /** `error`: the person could not sign in. */
  outcome: Outcome
  href: string
  /** For the preview, which does not redirect. */
  stays?: boolean
}

/** For a client with its own URL scheme: a redirect there would leave the browser on the page that has just been answered. */
export function backToClientPage(
  frame: KnownFrame,
  { clientName, outcome, href, stays = false }: BackToClientModel,
): SafeHtml {
  const { title, lead, button, hint } = frame.words.returning
  const target = appHref(href)
  return ending(frame, {
    picture: outcome === 'success' ? badge(null, 'good', 'check') : badge(null, 'calm', 'close'),
    title: title[outcome === 'success' ? 'success' : 'exit'](clientName, null),
    lead: [lead[outcome](clientName)],
    receipt: [],
    button: { href: target, text: button },
    close: null,
    foot: hint,
    ...(!stays && { refresh: target }),
  })
}

const fact = (term: Sentence, text: Sentence): SafeHtml =>
  html`<div><dt>${inline(term)}</dt><dd>${inline(text)}</dd></div>
`

/** The client's tile. Its name is what the client states, so it gets no logo. */
const displayOf = (name: string): ConnectorDisplay => ({
  slug: name,
  name,
  summary: '',
  categories: [],
  letters: null,
  tint: null,
  logo: null,
  linkedBy: 'sign_in',
})

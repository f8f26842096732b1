import { html, type SafeHtml } from '@remix-run/html-template'
import { fieldProblem, inputs } from './fields.ts'
import {
  askingBar,
  backLink,
  forWhom,
  heading,
  hiddenFields,
  notExpected,
  note,
  page,
  pair,
  referenceFoot,
} from './layout.ts'
import type { ConnectorFace, FormTarget, KeyField, KeyProblem, KnownFrame } from './model.ts'
import { inline, plain } from './sentence.ts'
import { formHref, webHref } from './vetted-href.ts'

export type ApiKeyModel = {
  connector: ConnectorFace
  fields: KeyField[]
  helpUrl: string | null
  problem: KeyProblem | null
  submit: FormTarget
  cancel: FormTarget
  backHref: string | null
  /** Where it can be linked by signing in, too. */
  signInHref: string | null
}

export function apiKeyPage(frame: KnownFrame, model: ApiKeyModel): SafeHtml {
  const { words } = frame
  const { connector, problem, submit, cancel, backHref, signInHref } = model
  const organization = frame.organization.name
  const title = words.apiKey.title(connector.name)
  return page(frame, {
    title,
    bar: askingBar(frame, cancel, backLink(frame, backHref)),
    main: html`${pair(organization, connector, false)}
${heading(title)}
<p class="lead">${inline(words.asks(organization, connector.name))}</p>
${forWhom(frame)}
<form method="post" action="${formHref(submit.action)}" autocomplete="off" data-do="check">${hiddenFields(submit)}
${fieldProblem(frame, connector, problem)}
${inputs(frame, model)}
${note('trust', 'lock', words.apiKey.trust(connector.name, organization))}
<div class="actions">
<button class="button primary" data-busy="${plain(words.apiKey.checking(connector.name))}"><span>${inline(words.apiKey.submit)}</span></button>
${signInHref === null ? null : html`<a class="instead" href="${webHref(signInHref)}">${inline(words.apiKey.useSignIn(connector.name))}</a>`}
${notExpected(frame)}
</div>
</form>`,
    foot: referenceFoot(frame),
  })
}

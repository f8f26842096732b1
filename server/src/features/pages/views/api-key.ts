import type { AsksFor } from '@carabiner/contract'
import { html, type SafeHtml } from '@remix-run/html-template'
import { abilityList } from './abilities.ts'
import { fieldProblem, inputs } from './fields.ts'
import { formTexts } from './form-texts.ts'
import {
  alternativeLinks,
  backLink,
  heading,
  hiddenFields,
  notExpected,
  note,
  page,
  pair,
  referenceFoot,
  requestBar,
  userLine,
} from './layout.ts'
import type {
  Abilities,
  AlternativeMethod,
  ConnectorDisplay,
  ConnectorText,
  FormTarget,
  KeyField,
  KeyProblem,
  KnownFrame,
  ReconnectReason,
} from './model.ts'
import { reconnectNote } from './reconnect-note.ts'
import { formHref } from './vetted-href.ts'
import { inline, plain } from './words/sentence.ts'

export type ApiKeyModel = {
  connector: ConnectorDisplay
  abilities: Abilities
  asksFor: AsksFor
  fields: KeyField[]
  /** Instructions for creating a key. */
  steps: ConnectorText[]
  helpUrl: string | null
  problem: KeyProblem | null
  /** The field that the problem is about, if it is about a single field. */
  invalidField?: string | null
  /** Another account in place of the linked one would not be shared. */
  endsSharing: boolean
  reconnectReason?: ReconnectReason | null
  /** The host of an MCP server. */
  serverHost: string | null
  submit: FormTarget
  cancel: FormTarget
  backHref: string | null
  alternatives: AlternativeMethod[]
}

export function apiKeyPage(frame: KnownFrame, model: ApiKeyModel): SafeHtml {
  const { words } = frame
  const { connector, abilities, problem, endsSharing, serverHost, submit, cancel, backHref, alternatives } =
    model
  const organization = frame.organization.name
  const texts = formTexts(words, model.asksFor)
  const title = texts.title(connector.name)
  return page(frame, {
    title,
    bar: requestBar(frame, cancel, backLink(frame, backHref)),
    main: html`${pair(frame, connector, false)}
${heading(title)}
<p class="lead">${inline(words.asks(organization, connector.name))}</p>
${userLine(frame)}
${serverHost === null ? null : note('info', 'browser', words.server(serverHost))}
${reconnectNote(frame, connector, model.reconnectReason ?? null)}
${abilityList(frame, connector, abilities)}
${endsSharing ? note('info', 'replace', words.endsSharing) : null}
<form method="post" action="${formHref(submit.action)}" autocomplete="off" data-do="check">${hiddenFields(submit)}
${fieldProblem(texts, connector, problem)}
${inputs(frame, model, texts)}
${note('trust', 'lock', texts.trust(connector.name, organization))}
<div class="actions">
<button class="button primary" data-busy="${plain(texts.checking(connector.name))}"><span>${inline(texts.submit)}</span></button>
${alternativeLinks(frame, connector, alternatives)}
${notExpected(frame)}
</div>
</form>`,
    foot: referenceFoot(frame),
  })
}

import type { AsksFor } from '@carabiner/contract'
import { html, type SafeHtml } from '@remix-run/html-template'
import { fieldProblem, inputs } from '../fields.ts'
import { formTexts } from '../form-texts.ts'
import { heading, hiddenFields, note, page, subpageBar } from '../layout.ts'
import type {
  ConnectorDisplay,
  ConnectorText,
  FormTarget,
  KeyField,
  KeyProblem,
  KnownFrame,
} from '../model.ts'
import { ownPath } from '../vetted-href.ts'
import { inline, plain } from '../words/sentence.ts'

export type ReplaceModel = {
  connector: ConnectorDisplay
  asksFor: AsksFor
  fields: KeyField[]
  /** Instructions for finding the values. */
  steps: ConnectorText[]
  helpUrl: string | null
  problem: KeyProblem | null
  invalidField: string | null
  submit: FormTarget
  backHref: string
}

/** A form that replaces some of the values that the user has entered for a connection. */
export function replacePage(frame: KnownFrame, model: ReplaceModel): SafeHtml {
  const { connector, problem, submit, backHref } = model
  const texts = formTexts(frame.words, model.asksFor)
  return page(frame, {
    title: texts.replace,
    bar: subpageBar(frame, backHref),
    main: html`${heading(texts.replace)}
<p class="lead">${inline(texts.replaceLead)}</p>
<form method="post" action="${ownPath(submit.action)}" autocomplete="off" data-do="check">${hiddenFields(submit)}
${fieldProblem(texts, connector, problem)}
${inputs(frame, { ...model, keepsEmpty: true }, texts)}
${note('trust', 'lock', texts.trust(connector.name, frame.organization.name))}
<div class="actions"><button class="button primary" data-busy="${plain(texts.checking(connector.name))}"><span>${inline(texts.replaceSubmit)}</span></button></div>
</form>`,
    foot: null,
  })
}

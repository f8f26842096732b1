import { html, type SafeHtml } from '@remix-run/html-template'
import { initial } from '../../../core/initial.ts'
import { icon } from './icons.ts'
import { heading, hiddenFields, page, pair, requestBar, tint, userLine } from './layout.ts'
import type { ConnectorDisplay, FormTarget, KnownFrame } from './model.ts'
import { formHref } from './vetted-href.ts'
import { inline, plain, type Sentence } from './words/sentence.ts'

export type LinkedAccountModel = { id: string; label: string; account: string | null; isShared: boolean }
export type ChooseAccountModel = {
  connector: ConnectorDisplay
  /** The account that the person has signed in with, if the provider names it. */
  account: string | null
  linked: LinkedAccountModel[]
  /** The submitted account is not connected any more. */
  isUnlisted: boolean
  /** The value of the button that adds the account. */
  add: string
  choose: FormTarget
  cancel: FormTarget
}

/** “Replace or add?”: shown after sign-in with another account than those that are linked. Each choice is a button. */
export function chooseAccountPage(frame: KnownFrame, model: ChooseAccountModel): SafeHtml {
  const { words } = frame
  const { connector, account, linked, isUnlisted, add, choose, cancel } = model
  const { title, lead, leadUnnamed, choices, unlisted, ...texts } = words.chooseAccount
  return page(frame, {
    title,
    bar: requestBar(frame, cancel, null),
    main: html`${pair(frame, connector, false)}
${heading(title)}
<p class="lead">${inline(account === null ? leadUnnamed(connector.name) : lead(connector.name, account))}</p>
${userLine(frame)}
${isUnlisted ? html`<p class="note bad" role="alert">${icon('alert')}<span>${inline(unlisted)}</span></p>` : null}
<form class="list" method="post" action="${formHref(choose.action)}">${hiddenFields(choose)}
<ul class="rows" aria-label="${plain(choices)}">${row(add, '+', texts.add, inline(texts.addDetail))}${linked.map(
      each =>
        row(
          each.id,
          initial(each.label),
          texts.replace(each.label),
          each.isShared ? inline(words.endsSharing) : (nameOf(each) ?? inline(texts.replaceDetail)),
        ),
    )}</ul>
</form>`,
    foot: null,
  })
}

/** The account's name, if its label is another one. */
const nameOf = ({ label, account }: LinkedAccountModel): SafeHtml | null =>
  account === null || account === label ? null : html`<bdi>${account}</bdi>`

const row = (value: string, letter: string, title: Sentence, detail: SafeHtml): SafeHtml =>
  html`<li><button name="account" value="${value}" data-busy=""><i aria-hidden=true class=${tint({ slug: value, tint: null })}>${letter}</i><bdi>${inline(title)}</bdi><small>${detail}</small></button></li>
`

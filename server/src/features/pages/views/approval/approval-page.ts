import { rememberBounds } from '@carabiner/contract/approval-bounds'
import { type ApprovalValue, isComparable, type ValueChanges } from '@carabiner/contract/approval-values'
import { mixedWords, revealHidden } from '@carabiner/contract/hidden-characters'
import { html, type SafeHtml } from '@remix-run/html-template'
import { marked, plainText } from '../connector-text.ts'
import { icon } from '../icons.ts'
import { endingBar, heading, hiddenFields, note, page, tile, userLine } from '../layout.ts'
import type { KnownFrame } from '../model.ts'
import { around, time } from '../time.ts'
import { ownPath } from '../vetted-href.ts'
import { inline, plain } from '../words/sentence.ts'
import type { ApprovalModel, ShownValue } from './model.ts'

/** Shows everything about one call, and asks for the decision. Nothing on it is text that the model chose, except in marked values. */
export function approvalPage(frame: KnownFrame, model: ApprovalModel): SafeHtml {
  const { connector, tool, isOfServer, isDestructive, reasons, args, previous, request, isComplete, open } =
    model
  const { approval } = frame.words
  const organization = frame.organization.name
  const value = (shown: ShownValue) => valueRow(frame, shown, open, previous?.changed.get(shown.path))
  return page(frame, {
    title: approval.title(connector.name),
    bar: endingBar(frame),
    main: html`<div class="app">${tile(connector)}<div><strong><bdi>${connector.name}</bdi></strong><small>${accountLine(frame, model)}</small></div></div>
${heading(approval.title(connector.name))}
<p class="lead">${inline(approval.lead(organization))}</p>
${userLine(frame)}
${previous?.isSame ? html`<p class="note warn">${icon('clock')}<span>${around(approval.previous.same(''), time(frame, previous.at, 'moment'))}</span></p>` : null}
${isDestructive ? note('warn', 'alert', isOfServer ? approval.unverified : approval.destructive) : null}
${previous && isChanged(previous) ? html`<p class="hint">${around(approval.previous.marked(''), time(frame, previous.at, 'moment'))}</p>` : null}
<dl class="receipt facts values"><div><dt>${inline(isOfServer ? approval.serverTool : approval.tool)}</dt><dd>${isOfServer ? html`“<bdi>${revealed(plainText(tool))}</bdi>”` : marked(tool)}</dd></div>
${model.preview.map(field => previewRow(frame, field))}${args.map(value)}${previous?.gone.map(gone => goneRow(frame, gone)) ?? null}</dl>
${model.isPreviewIncomplete ? note('info', 'alert', approval.noPreview(connector.name)) : null}
${args.length === 0 ? html`<p class="hint">${inline(approval.noArguments)}</p>` : null}
${reasons.length === 0 ? null : html`<section class="why"><h2>${inline(approval.reasons(organization))}</h2>${reasons.map(reason => html`<p dir="auto">${revealed(reason)}</p>`)}</section>`}
<details class="steps"><summary>${inline(approval.request)}</summary><dl class="receipt facts values">${request.map(shown => valueRow(frame, shown, open))}</dl></details>
${note('trust', 'shield', approval.once)}
<div class="actions">${isComplete ? html`${approveForm(model, plain(approval.approve))}${rememberForm(frame, model)}` : html`<p class="hint" role="status">${inline(approval.openFirst)}</p>`}
<details class="other"><summary class="button">${inline(approval.deny)}</summary>
<form method="post" action="${ownPath(model.deny.action)}">${hiddenFields(model.deny)}<label for="reason">${inline(approval.reason)}</label>
<textarea id="reason" name="reason" rows="2" maxlength="300"></textarea><button class="button"><span>${inline(approval.denyCall)}</span></button></form></details></div>`,
    foot: null,
  })
}

/** The label is of the connector file, and the text of the provider. */
const previewRow = (frame: KnownFrame, { label, text }: ApprovalModel['preview'][number]): SafeHtml =>
  html`<div class="preview"><dt>${marked(label)}</dt><dd><span class="text" dir="auto">${revealed(text)}</span>${mixedNote(frame, text)}</dd></div>
`

const mixedNote = ({ words: { approval } }: KnownFrame, text: string): SafeHtml[] =>
  mixedWords(text).map(words => html`<small class="unfit">${inline(approval.mixed(words))}</small>`)

const approveForm = ({ approve, isDestructive }: ApprovalModel, label: string): SafeHtml =>
  html`<form method="post" action="${ownPath(approve.action)}">${hiddenFields(approve)}<button class="button ${isDestructive ? 'danger' : 'primary'}"><span>${label}</span></button></form>`

/** One form of its own, so that the first button always approves once. */
function rememberForm(
  { words: { approval } }: KnownFrame,
  { approve, remember }: ApprovalModel,
): SafeHtml | null {
  if (!remember) return null
  const words = approval.remember
  return html`<details class="other"><summary class="button">${inline(words.open)}</summary>
<form method="post" action="${ownPath(approve.action)}">${hiddenFields(approve)}<label for="remember">${inline(words.label)}</label>
<select id="remember" name="remember">${PERIODS.map(period => html`<option value="${period}">${plain(words.periods[period](String(rememberBounds[period].uses)))}</option>`)}</select>
${remember.texts ? html`<label class="check"><input type="checkbox" name="remember_texts" value="yes"><span>${inline(words.anyText)}</span></label>` : null}
<p class="hint">${inline(words.hint)}</p><button class="button"><span>${inline(words.approve)}</span></button></form></details>`
}

const PERIODS = Object.keys(rememberBounds) as (keyof typeof rememberBounds)[]

/** Anyone may choose the label, so the name that the provider gives the account comes first. */
function accountLine(
  { words: { approval } }: KnownFrame,
  { account, accountLabel }: ApprovalModel,
): SafeHtml {
  const identity = account ?? accountLabel
  if (identity === null) return inline(approval.noAccount)
  return accountLabel === null || accountLabel === identity
    ? revealed(identity)
    : html`${revealed(identity)} · ${inline(approval.labeled(accountLabel))}`
}

const isChanged = ({ changed, gone }: ValueChanges): boolean => changed.size + gone.length > 0

/** The last approved call had this value, and this one does not. */
const goneRow = ({ words: { approval } }: KnownFrame, { path, ...value }: ApprovalValue): SafeHtml =>
  html`<div><dt><code><bdi>${revealed(path)}</bdi></code></dt><dd><span class="empty">${inline(approval.previous.gone)}</span>${earlier(approval, { path, ...value })}</dd></div>
`

const earlier = ({ previous }: KnownFrame['words']['approval'], value: ApprovalValue): SafeHtml =>
  isComparable(value)
    ? html`<small class="earlier"><em>${inline(previous.lastTime)}</em> <span dir="auto">${revealed(value.text)}</span></small>`
    : html`<small class="earlier"><em>${inline(previous.differs)}</em></small>`

/** `undefined`: the last approved call had the same value. Null: it had none. */
const changeNote = (
  { words: { approval } }: KnownFrame,
  change: ApprovalValue | null | undefined,
): SafeHtml | null => {
  if (change === undefined) return null
  if (change === null) return html`<small class="earlier"><em>${inline(approval.previous.added)}</em></small>`
  return earlier(approval, change)
}

function valueRow(
  frame: KnownFrame,
  { position, path, text, role, folded, isShown }: ShownValue,
  open: ApprovalModel['open'],
  change?: ApprovalValue | null,
): SafeHtml {
  const { approval } = frame.words
  const target = open(position)
  const roleName =
    role === 'recipient' || role === 'amount' || role === 'target' ? approval.roles[role] : null
  return html`<div id="value-${position}"><dt><code><bdi>${revealed(path)}</bdi></code>${roleName === null ? null : html` <em>${inline(roleName)}</em>`}</dt><dd>${
    isShown
      ? text === ''
        ? html`<span class="empty">${inline(approval.empty)}</span>`
        : html`<span class="text" dir="auto">${revealed(text)}</span>`
      : html`<span class="empty">${inline(approval.folded[folded ?? 'long'](String(text.length)))}</span>
<form method="post" action="${ownPath(target.action)}">${hiddenFields(target)}<button class="link">${inline(approval.showAll)}</button></form>`
  }${isShown ? mixedNote(frame, text) : null}${changeNote(frame, change)}</dd></div>
`
}

/** Hidden characters become visible marks. */
const revealed = (text: string): SafeHtml =>
  html`${revealHidden(text).map(part => (part.mark === undefined ? part.text : html`<mark dir="ltr">${part.mark}</mark>`))}`

import { html, type SafeHtml } from '@remix-run/html-template'
import { isolated, marked } from './connector-text.ts'
import { icon } from './icons.ts'
import {
  type ConnectorFace,
  type ConnectorText,
  type KeyField,
  type KeyProblem,
  type KnownFrame,
  TENANT_PREFIX,
} from './model.ts'
import { type VettedHref, webHref } from './vetted-href.ts'
import { inline, plain } from './words/sentence.ts'

type FieldsModel = {
  fields: KeyField[]
  steps?: ConnectorText[]
  helpUrl: string | null
  problem: KeyProblem | null
  blamed?: string | null
}

export const fieldProblem = (
  { words }: KnownFrame,
  connector: ConnectorFace,
  problem: KeyProblem | null,
): SafeHtml | null =>
  problem === null
    ? null
    : html`<p class="note bad" id="problem" role="alert">${icon('alert')}<span>${inline(words.apiKey.problem[problem](connector.name))}</span></p>`

/** The question "Where do I find it?" stands under the first secret, which is what people look for. */
export function inputs(
  { words, embedded, preview }: KnownFrame,
  { fields, steps = [], helpUrl, problem, blamed: named }: FieldsModel,
): SafeHtml[] {
  const asked = Math.max(
    0,
    fields.findIndex(field => field.secret),
  )
  const help = helpUrl === null ? null : webHref(helpUrl)
  const blamed = problem === null ? () => false : isBlamed(fields, problem, named ?? null)
  const first = fields.findIndex(blamed)
  return fields.map((field, index) =>
    input(words, field, {
      id: `field-${index}`,
      help: index === asked ? help : null,
      steps: index === asked ? steps : [],
      invalid: blamed(field),
      // In a frame the script does it.
      focus: index === first && !embedded && !preview,
    }),
  )
}

/** A third party that refuses a key blames the key; a missing value blames the fields that came back empty. */
function isBlamed(
  fields: KeyField[],
  problem: KeyProblem,
  named: string | null,
): (field: KeyField) => boolean {
  if (named !== null) return field => field.name === named
  if (problem === 'key_check_unavailable') return () => false
  if (problem === 'address_unfit') return field => field.name.startsWith(TENANT_PREFIX)
  if (problem === 'fields_missing') return field => field.secret || field.value === null || field.value === ''
  return fields.some(field => field.secret) ? field => field.secret : () => true
}

type Place = { id: string; help: VettedHref | null; steps: ConnectorText[]; invalid: boolean; focus: boolean }

function input(words: KnownFrame['words'], field: KeyField, place: Place): SafeHtml {
  const { id, invalid } = place
  const hinted = field.hint !== null || place.help !== null
  const parts = [invalid ? 'problem' : null, hinted ? `${id}-hint` : null].filter(part => part !== null)
  const described = html`${attribute('aria-describedby', parts.length === 0 ? null : parts.join(' '))}${attribute('aria-invalid', invalid ? 'true' : null)}`
  const help = fieldHelp(words, field, place)
  if (field.choices)
    return html`<fieldset class="field choices" role="radiogroup"${described}><legend>${marked(field.label)}</legend>
${field.choices.map((choice, index) => radio(field, choice, place.focus && index === 0))}
${help}</fieldset>
`
  return html`<div class="field"><label for="${id}">${marked(field.label)}</label>
${textBox(words, field, place, described)}
${field.pattern === null ? null : html`<p class="hint unfit" id="${id}-unfit" role="alert" hidden>${inline(words.apiKey.problem.format_unfit(''))}</p>`}
${help}</div>
`
}

type Choice = NonNullable<KeyField['choices']>[number]

const radio = (field: KeyField, { value, label }: Choice, focus: boolean): SafeHtml =>
  html`<label><input type="radio" name="${field.name}" value="${value}" required${field.value === value ? html` checked` : null}${focus ? html` autofocus` : null}>${marked(label)}</label>`

function textBox(words: KnownFrame['words'], field: KeyField, place: Place, described: SafeHtml): SafeHtml {
  const { id, focus } = place
  const { show, hide } = words.apiKey
  const control = html`<input id="${id}" name="${field.name}" type="${field.secret ? 'password' : 'text'}" required autocomplete="off" autocapitalize="off" spellcheck="false" dir="auto"${attribute('value', field.secret ? null : field.value)}${attribute('placeholder', field.placeholder)}${attribute('data-pattern', field.pattern)}${described}${focus ? html` autofocus` : null}>`
  if (field.secret)
    return html`<span class="with-toggle" dir="ltr">${control}<button class="toggle" type="button" data-do="reveal" aria-controls="${id}" aria-pressed="false" data-done="${plain(hide)}" hidden>${inline(show)}</button></span>`
  return field.suffix === null
    ? control
    : html`<span class="with-suffix" dir="ltr">${control}<span aria-hidden="true">${field.suffix}</span></span>`
}

/** The hint, the link to the vendor's page and the steps that lead to the value. */
function fieldHelp(words: KnownFrame['words'], { hint }: KeyField, { id, help, steps }: Place): SafeHtml {
  const link =
    help &&
    html`<a href="${help}" target="_blank" rel="noopener noreferrer">${inline(words.apiKey.where)}</a>`
  const list = html`<details class="steps"><summary>${inline(words.apiKey.steps)}</summary><ol>${steps.map(step => html`<li>${isolated(step)}`)}</ol></details>`
  return html`${hint === null && link === null ? null : html`<p class="hint" id="${id}-hint">${hint === null ? null : html`${isolated(hint)} `}${link}</p>`}${steps.length === 0 ? null : list}`
}

const attribute = (name: string, value: string | null): SafeHtml | null =>
  value === null ? null : html` ${name}="${value}"`

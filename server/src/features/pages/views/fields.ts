import { html, type SafeHtml } from '@remix-run/html-template'
import { isolated, marked } from './connector-text.ts'
import type { FormTexts } from './form-texts.ts'
import { icon } from './icons.ts'
import {
  type ConnectorDisplay,
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
  invalidField?: string | null
  /** Every field may stay empty, which the page says itself. */
  keepsEmpty?: boolean
}

export const fieldProblem = (
  texts: FormTexts,
  connector: ConnectorDisplay,
  problem: KeyProblem | null,
): SafeHtml | null =>
  problem === null
    ? null
    : html`<p class="note bad" id="problem" role="alert">${icon('alert')}<span>${inline(texts.problem[problem](connector.name))}</span></p>`

/** The help link is shown below the first secret field, which is the value that people look for. */
export function inputs(
  { embedded, preview }: KnownFrame,
  { fields, steps = [], helpUrl, problem, invalidField, keepsEmpty = false }: FieldsModel,
  texts: FormTexts,
): SafeHtml[] {
  const helpIndex = Math.max(
    0,
    fields.findIndex(field => field.secret),
  )
  const help = helpUrl === null ? null : webHref(helpUrl)
  const isInvalid = problem === null ? () => false : invalidFields(fields, problem, invalidField ?? null)
  const first = fields.findIndex(isInvalid)
  return fields.map((field, index) =>
    input(texts, field, {
      id: `field-${index}`,
      help: index === helpIndex ? help : null,
      steps: index === helpIndex ? steps : [],
      isMarkedOptional: !field.required && !keepsEmpty,
      invalid: isInvalid(field),
      // In a frame, the script sets the focus.
      focus: index === first && !embedded && !preview,
    }),
  )
}

const OF_NO_FIELD: KeyProblem[] = ['key_check_unavailable', 'other_account', 'nothing_entered']

/** Which fields to mark as invalid: the secrets if the provider rejected the key, the empty fields if a value is missing. */
function invalidFields(
  fields: KeyField[],
  problem: KeyProblem,
  invalidField: string | null,
): (field: KeyField) => boolean {
  if (invalidField !== null) return field => field.name === invalidField
  if (OF_NO_FIELD.includes(problem)) return () => false
  if (problem === 'address_unfit') return field => field.name.startsWith(TENANT_PREFIX)
  if (problem === 'fields_missing')
    return field => field.required && (field.secret || field.value === null || field.value === '')
  return fields.some(field => field.secret) ? field => field.secret : () => true
}

type InputOptions = {
  id: string
  help: VettedHref | null
  steps: ConnectorText[]
  isMarkedOptional: boolean
  invalid: boolean
  focus: boolean
}

function input(texts: FormTexts, field: KeyField, options: InputOptions): SafeHtml {
  const { id, invalid } = options
  const hinted = field.hint !== null || options.help !== null
  const parts = [invalid ? 'problem' : null, hinted ? `${id}-hint` : null].filter(part => part !== null)
  const described = html`${attribute('aria-describedby', parts.length === 0 ? null : parts.join(' '))}${attribute('aria-invalid', invalid ? 'true' : null)}`
  const help = fieldHelp(texts, field, options)
  if (field.choices)
    return html`<fieldset class="field choices" role="radiogroup"${described}><legend>${marked(field.label)}</legend>
${field.choices.map((choice, index) => radio(field, choice, options.focus && index === 0))}
${help}</fieldset>
`
  return html`<div class="field"><label for="${id}">${marked(field.label)}${options.isMarkedOptional ? html` <small>${inline(texts.optional)}</small>` : null}</label>
${textBox(texts, field, options, described)}
${field.pattern === null ? null : html`<p class="hint unfit" id="${id}-unfit" role="alert" hidden>${inline(texts.problem.format_unfit(''))}</p>`}
${help}</div>
`
}

type Choice = NonNullable<KeyField['choices']>[number]

const radio = (field: KeyField, { value, label }: Choice, focus: boolean): SafeHtml =>
  html`<label><input type="radio" name="${field.name}" value="${value}" required${field.value === value ? html` checked` : null}${focus ? html` autofocus` : null}>${marked(label)}</label>`

function textBox(
  { show, hide, chooseFile }: FormTexts,
  field: KeyField,
  options: InputOptions,
  described: SafeHtml,
): SafeHtml {
  const { id, focus } = options
  const required = field.required ? html` required` : null
  // A private key cannot be masked: the browser would submit it as one line.
  if (field.isFile)
    return html`<textarea id="${id}" name="${field.name}"${required} rows="5" autocomplete="off" autocapitalize="off" spellcheck="false" dir="ltr"${attribute('placeholder', field.placeholder)}${attribute('data-pattern', field.pattern)}${described}${focus ? html` autofocus` : null}></textarea>
<button class="button" type="button" data-do="choose-file" aria-controls="${id}" hidden><span>${inline(chooseFile)}</span></button>`
  const control = html`<input id="${id}" name="${field.name}" type="${field.secret ? 'password' : 'text'}"${required} autocomplete="off" autocapitalize="off" spellcheck="false" dir="auto"${attribute('value', field.secret ? null : field.value)}${attribute('placeholder', field.placeholder)}${attribute('data-pattern', field.pattern)}${described}${focus ? html` autofocus` : null}>`
  if (field.secret)
    return html`<span class="with-toggle" dir="ltr">${control}<button class="toggle" type="button" data-do="reveal" aria-controls="${id}" aria-pressed="false" data-done="${plain(hide)}" hidden>${inline(show)}</button></span>`
  return field.suffix === null
    ? control
    : html`<span class="with-suffix" dir="ltr">${control}<span aria-hidden="true">${field.suffix}</span></span>`
}

/** The hint, the link to the provider's page and the instructions for finding the value. */
function fieldHelp(texts: FormTexts, { hint }: KeyField, { id, help, steps }: InputOptions): SafeHtml {
  const link =
    help && html`<a href="${help}" target="_blank" rel="noopener noreferrer">${inline(texts.where)}</a>`
  const list = html`<details class="steps"><summary>${inline(texts.steps)}</summary><ol>${steps.map(step => html`<li>${isolated(step)}`)}</ol></details>`
  return html`${hint === null && link === null ? null : html`<p class="hint" id="${id}-hint">${hint === null ? null : html`${isolated(hint)} `}${link}</p>`}${steps.length === 0 ? null : list}`
}

const attribute = (name: string, value: string | null): SafeHtml | null =>
  value === null ? null : html` ${name}="${value}"`

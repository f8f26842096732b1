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
import { inline, plain } from './sentence.ts'
import { type VettedHref, webHref } from './vetted-href.ts'

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
  const { id, help, steps, invalid, focus } = place
  const { where, show, hide, problem } = words.apiKey
  const hinted = field.hint !== null || help !== null
  const describedBy = [invalid ? 'problem' : '', hinted ? `${id}-hint` : '']
    .filter(part => part !== '')
    .join(' ')
  const control = html`<input id="${id}" name="${field.name}" type="${field.secret ? 'password' : 'text'}" required autocomplete="off" autocapitalize="off" spellcheck="false" dir="auto"${attribute('value', field.secret ? null : field.value)}${attribute('placeholder', field.placeholder)}${attribute('data-pattern', field.pattern)}${attribute('aria-describedby', describedBy === '' ? null : describedBy)}${attribute('aria-invalid', invalid ? 'true' : null)}${focus ? html` autofocus` : null}>`
  return html`<div class="field"><label for="${id}">${marked(field.label)}</label>
${field.secret ? html`<span class="with-toggle" dir="ltr">${control}<button class="toggle" type="button" data-do="reveal" aria-controls="${id}" aria-pressed="false" data-done="${plain(hide)}" hidden>${inline(show)}</button></span>` : null}${!field.secret && field.suffix === null ? control : null}${!field.secret && field.suffix !== null ? html`<span class="with-suffix" dir="ltr">${control}<span aria-hidden="true">${field.suffix}</span></span>` : null}
${field.pattern === null ? null : html`<p class="hint unfit" id="${id}-unfit" role="alert" hidden>${inline(problem.format_unfit(''))}</p>`}
${hinted ? html`<p class="hint" id="${id}-hint">${field.hint === null ? null : html`${isolated(field.hint)} `}${help && html`<a href="${help}" target="_blank" rel="noopener noreferrer">${inline(where)}</a>`}</p>` : null}${steps.length === 0 ? null : html`<details class="steps"><summary>${inline(words.apiKey.steps)}</summary><ol>${steps.map(step => html`<li>${isolated(step)}`)}</ol></details>`}</div>
`
}

const attribute = (name: string, value: string | null): SafeHtml | null =>
  value === null ? null : html` ${name}="${value}"`

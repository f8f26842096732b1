import { html, type SafeHtml } from '@remix-run/html-template'
import { DIRECTION_CONTROLS } from '../../../../core/initial.ts'

/**
 * A sentence and the names in it. Representing it as data means that a translation is a template and never markup, and that
 * the same sentence can be rendered as HTML and as plain text.
 */
export type Sentence = { readonly texts: readonly string[]; readonly names: readonly string[] }

export const say = (texts: TemplateStringsArray, ...names: string[]): Sentence => ({ texts, names })

/** Names are isolated, so that a right-to-left name, or direction controls in one, cannot reorder the surrounding text. */
export function inline({ texts, names }: Sentence): SafeHtml {
  return html`${texts.map((text, i) => [text, names[i] === undefined ? null : html`<bdi>${names[i]}</bdi>`])}`
}

/** Renders plain text for `<title>` and `aria-label`, where no element can isolate a name. */
export function plain({ texts, names }: Sentence): string {
  const rightToLeft = RIGHT_TO_LEFT.test(texts.join(''))
  return texts.map((text, i) => text + isolate(names[i] ?? '', rightToLeft)).join('')
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

function isolate(name: string, among: boolean): string {
  const bare = name.replace(DIRECTION_CONTROLS, '')
  return bare !== '' && RIGHT_TO_LEFT.test(bare) !== among ? `\u2068${bare}\u2069` : bare
}

export const firstName = (name: string): string => name.trim().split(/\s+/)[0] ?? name

import { html, type SafeHtml } from '@remix-run/html-template'
import type { ConnectorText } from './model.ts'

/** Marks untranslated English, so that screen readers pronounce it and right-to-left pages place it correctly. */
export const isolated = (text: ConnectorText): SafeHtml =>
  typeof text === 'string' ? html`<bdi>${text}</bdi>` : html`<bdi lang="en" dir="ltr">${text.english}</bdi>`

/** Like `isolated`, but adds no element around text in the page's language. */
export const marked = (text: ConnectorText): SafeHtml =>
  typeof text === 'string' ? html`${text}` : html`<span lang="en" dir="ltr">${text.english}</span>`

export const plainText = (text: ConnectorText): string => (typeof text === 'string' ? text : text.english)

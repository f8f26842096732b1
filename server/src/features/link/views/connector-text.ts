import { html, type SafeHtml } from '@remix-run/html-template'
import type { ConnectorText } from './model.ts'

/** English on a page of another language is marked, so that screen readers pronounce it and right-to-left pages place it correctly. */
export const isolated = (text: ConnectorText): SafeHtml =>
  typeof text === 'string' ? html`<bdi>${text}</bdi>` : html`<bdi lang="en" dir="ltr">${text.english}</bdi>`

/** The same without an element around a text in the page's language. */
export const marked = (text: ConnectorText): SafeHtml =>
  typeof text === 'string' ? html`${text}` : html`<span lang="en" dir="ltr">${text.english}</span>`

export const plainText = (text: ConnectorText): string => (typeof text === 'string' ? text : text.english)

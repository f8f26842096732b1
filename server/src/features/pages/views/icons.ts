import { html, type SafeHtml } from '@remix-run/html-template'

/** Icon paths on a 20 by 20 grid, stroked by the stylesheet. */
const STROKES = {
  alert: 'M10 6v5m0 2.9v.1M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15Z',
  bang: 'M10 4v7.4m0 4v.1',
  back: 'M16 10H4.5m4.8-5-5 5 5 5',
  browser:
    'M3 7.5h14M5 3.5h10a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2Zm.8 2h.1m2 0h.1',
  check: 'm4.5 10.6 3.6 3.6 7.4-8.4',
  clock: 'M10 5.8V10l2.8 1.8M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15Z',
  close: 'm5.5 5.5 9 9m0-9-9 9',
  cookie:
    'M10.2 2.6a7.5 7.5 0 1 0 7.2 7.2 3 3 0 0 1-3.7-3.4 3 3 0 0 1-3.5-3.8ZM7.5 9v.1m-.2 4.1v.1m4.6-1.2v.1',
  forward: 'M4 10h11.5m-4.8-5 5 5-5 5',
  hand: 'M6.6 10.5V5.2a1.2 1.2 0 0 1 2.4 0V9m0-.4V3.7a1.2 1.2 0 0 1 2.4 0V9m0-4a1.2 1.2 0 0 1 2.4 0v6.7c0 3.3-1.8 5.3-4.7 5.3-2.2 0-3.3-1-4.3-2.8l-1.6-3a1.2 1.2 0 0 1 2-1.3l1.4 1.9',
  link: 'm8.3 11.7 3.4-3.4M9 6l1.7-1.7a3.6 3.6 0 0 1 5 5L14 11m-3 3-1.7 1.7a3.6 3.6 0 0 1-5-5L6 9',
  lock: 'M6.8 9V6.6a3.2 3.2 0 0 1 6.4 0V9M6.4 9h7.2A2.4 2.4 0 0 1 16 11.4v3.2a2.4 2.4 0 0 1-2.4 2.4H6.4A2.4 2.4 0 0 1 4 14.6v-3.2A2.4 2.4 0 0 1 6.4 9Z',
  pause: 'M8 7v6m4-6v6M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15Z',
  replace:
    'M15.8 8.2A6.2 6.2 0 0 0 4.7 6.9L3.5 8.3m0-4v4h4M4.2 11.8a6.2 6.2 0 0 0 11.1 1.3l1.2-1.4m0 4v-4h-4',
  search: 'm13.2 13.2 3.8 3.8M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z',
  window: 'M8 4.5H5a2 2 0 0 0-2 2V15a2 2 0 0 0 2 2h8.5a2 2 0 0 0 2-2v-3M11.5 3H17v5.5M16.6 3.4 9.5 10.5',
  shield: 'M10 2.6 4 5v4.4c0 3.7 2.4 6.4 6 8 3.6-1.6 6-4.3 6-8V5l-6-2.4Zm0 4.2v3.6m0 2.7v.1',
} as const

export type IconName = keyof typeof STROKES

/** Icons always accompany text with the same meaning, so they are hidden from assistive technology. */
export const icon = (name: IconName): SafeHtml =>
  html`<svg class="icon ${name}" viewBox="0 0 20 20" aria-hidden="true"><path d="${STROKES[name]}"/></svg>`

/** The carabiner symbol, with its gate open until the two accounts are connected. */
export const glyph = (gate: 'open' | 'closed'): SafeHtml =>
  html`<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d="${BODY}"/><path class="gate" d="${GATE[gate]}"/></svg>`

const BODY = 'M5.5 8v-.5a5 5 0 0 1 5-5h2a6 6 0 0 1 6 6v7a6 6 0 0 1-6 6h-2a5 5 0 0 1-5-5V16'
const GATE = { closed: 'M5.5 8.6v6.8', open: 'm5.5 15.6 3.9-5.5' }

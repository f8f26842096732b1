import { createHash } from 'node:crypto'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The service's own pages: not found, not built. Link pages have their own stylesheet. */
const STYLESHEET = `
:root {
  color-scheme: light dark; --gate: #e8590c; --ink: #14171f; --muted: #545b69; --line: #e5e8ed;
  --paper: #fff; --wash: #f5f6f8; --ground: #f1f3f6; --mark: #a83b00; --mark-bg: #fff0e6; --focus: #2c5cdb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --gate: #ff7a33; --ink: #eceef3; --muted: #a4acba; --line: #2a2f39;
    --paper: #16191f; --wash: #1e222a; --ground: #0c0e12; --mark: #ffa06b; --mark-bg: #33200f; --focus: #8fb0ff;
  }
}
* { box-sizing: border-box; margin: 0 }
body {
  min-height: 100dvh; padding: clamp(20px, 5vw, 64px) 20px; background: var(--ground); color: var(--ink);
  font: 15px/1.55 system-ui, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; -webkit-font-smoothing: antialiased;
}
.sheet { width: min(46rem, 100%); margin-inline: auto }
.brand { display: flex; align-items: center; gap: 10px; font-weight: 600; margin-bottom: 28px }
.brand svg { width: 30px; height: 30px; fill: none; stroke-width: 4 }
.brand rect { stroke: currentColor } .brand path { stroke: var(--gate) }
.mark {
  margin-inline-start: auto; padding: 3px 10px; border-radius: 99px; font-size: 12.5px; font-weight: 600;
  background: var(--mark-bg); color: var(--mark);
}
h1 { font-size: clamp(24px, 4.5vw, 32px); line-height: 1.2; letter-spacing: -.018em; font-weight: 650; text-wrap: balance }
h2 { font-size: 16px; letter-spacing: -.006em; font-weight: 620 }
.lead { color: var(--muted); font-size: 16.5px; margin: 10px 0 28px; max-width: 38rem; text-wrap: pretty }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 16px; padding: 22px 24px; margin-top: 16px }
.card > p { color: var(--muted); margin-top: 4px }
.card form { margin-top: 16px }
button {
  min-height: 44px; padding: 0 20px; border: 0; border-radius: 11px; font: inherit; font-weight: 600; cursor: pointer;
  background: var(--ink); color: var(--paper);
}
button:hover { opacity: .88 }
a { color: inherit; text-underline-offset: 3px; text-decoration-color: var(--muted) }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px }
code, pre { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace }
code { user-select: all }
pre { background: var(--wash); border-radius: 10px; padding: 12px 14px; margin-top: 12px; overflow-x: auto; white-space: pre-wrap }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 8px 20px; margin-top: 12px }
dl.facts dt { color: var(--muted) } dl.facts dd { min-width: 0 }
ul.links { list-style: none; padding: 0; margin-top: 8px }
ul.links li { margin-top: 10px }
ul.links a { display: inline-block; padding-block: 10px; margin-block: -10px; font-weight: 550 }
ul.links small { display: block; color: var(--muted); font-size: 13.5px }
ul.links + p { color: var(--muted); margin-top: 14px }
@media (max-width: 34rem) { dl.facts { grid-template-columns: minmax(0, 1fr); gap: 2px } dl.facts dd { margin-bottom: 10px } .card { padding: 18px } }
`
const STYLE_HASH = createHash('sha256').update(STYLESHEET).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

type Page = { title: string; mark?: string; main: SafeHtml }

const page = ({ title, mark, main }: Page): SafeHtml => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><meta name="color-scheme" content="light dark">
<title>${title}</title><link rel="icon" href="/favicon.ico"><style>${html.raw`${STYLESHEET}`}</style>
</head>
<body>
<div class="sheet">
<p class="brand"><svg viewBox="0 0 32 32" aria-hidden="true"><rect x="8" y="3" width="16" height="26" rx="8"/><path d="M8 18v-7"/></svg>Carabiner${mark === undefined ? null : html`<span class="mark">${mark}</span>`}</p>
<main>${main}</main>
</div>
</body>
</html>
`

export const sendPage = (reply: FastifyReply, content: Page): FastifyReply =>
  reply
    .header('content-security-policy', POLICY)
    .header('vary', 'accept')
    // With no-referrer, browsers send forms with `Origin: null`.
    .header('referrer-policy', 'same-origin')
    .type('text/html; charset=utf-8')
    .send(String(page(content)))

/** Browsers list HTML first in Accept; programs that accept anything get JSON. */
export const wantsHtml = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => {
  const accept = headers.accept ?? ''
  const htmlAt = accept.indexOf('text/html')
  const jsonAt = accept.indexOf('application/json')
  return htmlAt >= 0 && (jsonAt < 0 || htmlAt < jsonAt)
}

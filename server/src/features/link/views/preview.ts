import { html, type SafeHtml } from '@remix-run/html-template'
import { apiKeyPage } from './api-key.ts'
import { consentPage } from './consent.ts'
import { cancelledPage, connectedPage, expiredPage, failedPage } from './endings.ts'
import type { ConnectorFace, KnownFrame } from './model.ts'
import { pickerPage } from './picker.ts'
import { GALLERY_STYLESHEET } from './preview-stylesheet.ts'
import { ownPath } from './vetted-href.ts'
import { catalogues } from './words/index.ts'

export const PREVIEW_STATES = [
  'picker',
  'consent',
  'key',
  'connected',
  'cancelled',
  'failed',
  'expired',
] as const
export type PreviewState = (typeof PREVIEW_STATES)[number]

const SAMPLE: ConnectorFace = {
  slug: 'notes',
  name: 'Notes',
  summary: 'Notes and notebooks',
  category: 'productivity',
  letters: null,
  tint: null,
  method: 'oauth',
}

/** A page as people meet it, with a made-up person, and buttons that lead back to it. */
export function previewState(
  frame: KnownFrame,
  state: PreviewState,
  connectors: ConnectorFace[],
  here: string,
): SafeHtml {
  const form = { action: here, fields: {} }
  const connector = connectors.find(({ method }) => method === 'oauth') ?? SAMPLE
  switch (state) {
    case 'picker':
      return pickerPage(frame, {
        connectors: (connectors.length > 0 ? connectors : [SAMPLE]).map((known, i) => ({
          ...known,
          connected: i === 0,
        })),
        chooseHref: () => here,
        cancel: form,
        narrowed: { query: '', category: null },
        narrowHref: () => here,
        view: {},
      })
    case 'consent':
      return consentPage(frame, {
        connector,
        permissions: [{ title: `Read your ${connector.name} data`, detail: connector.summary }],
        fields: [],
        problem: null,
        keyHref: null,
        alreadyConnectedAs: null,
        start: form,
        cancel: form,
        backHref: here,
        opensWindow: false,
        insideApp: false,
      })
    case 'key':
      return apiKeyPage(frame, {
        connector,
        fields: [
          {
            name: 'api_key',
            label: 'API key',
            hint: null,
            placeholder: null,
            suffix: null,
            secret: true,
            value: null,
          },
        ],
        helpUrl: null,
        problem: 'key_rejected',
        submit: form,
        cancel: form,
        backHref: here,
        signInHref: null,
      })
    case 'connected':
      return connectedPage(frame, { connector, account: 'ana@example.com', backHref: null })
    case 'cancelled':
      return cancelledPage(frame, { connector, retryHref: here, backHref: null, unexpected: false })
    case 'failed':
      return failedPage(frame, { connector, reason: 'provider_unavailable', retryHref: here, backHref: null })
    case 'expired':
      return expiredPage(frame, { renew: form })
  }
}

type Gallery = {
  organization: string
  states: { state: PreviewState; href: string }[]
  view: { theme: string | null; lang: string | null }
  hrefWith: (more: Record<string, string | null>) => string
}

const THEMES: [theme: string | null, name: string][] = [
  [null, 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

/** For the people who set the looks, and so in the language of the documentation. */
export function previewGallery({ organization, states, view, hrefWith }: Gallery): SafeHtml {
  const choice = (more: Record<string, string | null>, name: string, chosen: boolean) =>
    html`<a href="${ownPath(hrefWith(more))}"${chosen ? html` aria-current="true"` : null}>${name}</a>`
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>Link preview · ${organization}</title><style>${html.raw`${GALLERY_STYLESHEET}`}</style></head>
<body>
<header><h1>Link, as <bdi>${organization}</bdi>’s users see it</h1>
<nav aria-label="Theme">${THEMES.map(([theme, name]) => choice({ theme }, name, view.theme === theme))}</nav>
<nav aria-label="Language">${Object.values(catalogues).map(({ language, languageName }) =>
    choice({ lang: language }, languageName, view.lang === language),
  )}</nav></header>
<main>${states.map(
    ({ state, href }) =>
      html`<figure><iframe src="${ownPath(href)}" title="${state}" loading="lazy"></iframe><figcaption>${state}</figcaption></figure>`,
  )}</main>
</body>
</html>`
}

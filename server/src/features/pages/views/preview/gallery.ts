import { html, type SafeHtml } from '@remix-run/html-template'
import { ownPath } from '../vetted-href.ts'
import { catalogs } from '../words/index.ts'
import { GALLERY_STYLESHEET } from './stylesheet.ts'

type Picture = { state: string; group: string; label: string; href: string }
type Gallery = {
  organization: string
  pictures: Picture[]
  view: { theme: string | null; lang: string | null }
  hrefWith: (more: Record<string, string | null>) => string
}

const THEMES: [theme: string | null, name: string][] = [
  [null, 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

/** The gallery is for those who configure the branding, so it is in English like the documentation. */
export function previewGallery({ organization, pictures, view, hrefWith }: Gallery): SafeHtml {
  const choice = (more: Record<string, string | null>, name: string, chosen: boolean) =>
    html`<a href="${ownPath(hrefWith(more))}"${chosen ? html` aria-current="true"` : null}>${name}</a>`
  const groups = [...Map.groupBy(pictures, ({ group }) => group)]
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>Link preview · ${organization}</title><style>${html.raw`${GALLERY_STYLESHEET}`}</style></head>
<body>
<header><h1>Link, as <bdi>${organization}</bdi>’s users see it</h1>
<nav aria-label="Theme">${THEMES.map(([theme, name]) => choice({ theme }, name, view.theme === theme))}</nav>
<nav aria-label="Language">${Object.values(catalogs).map(({ language, languageName }) =>
    choice({ lang: language }, languageName, view.lang === language),
  )}</nav></header>
<main>${groups.map(
    ([group, own]) => html`<section><h2>${group}</h2><div>${own.map(picture)}</div></section>`,
  )}</main>
</body>
</html>`
}

const picture = ({ label, href }: Picture): SafeHtml =>
  html`<figure><figcaption><a href="${ownPath(href)}">${label}</a></figcaption><iframe src="${ownPath(href)}" title="${label}" loading="lazy"></iframe></figure>`

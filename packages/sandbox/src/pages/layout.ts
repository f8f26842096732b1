import { html, type SafeHtml } from '@remix-run/html-template'
import type { Account } from '../accounts.ts'
import { styles } from './styles.ts'

export type Company = 'Notes' | 'Vault'

/** The client that requests access, as shown on the pages. */
export type RequestingClient = { name: string; returnsTo: string }

export function layout({
  company,
  title,
  body,
}: {
  company: Company
  title: string
  body: SafeHtml
}): SafeHtml {
  const slug = company.toLowerCase()
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/${slug}/icon.svg">
<style>${html.raw`${styles}`}</style>
</head>
<body class="${slug}">
<main class="sheet">
<p class="brand"><span class="tile" aria-hidden="true">${company[0]}</span>${company}</p>
${body}
</main>
<footer class="sandbox">This is a sandbox: nothing here is real.</footer>
</body>
</html>
`
}

export function face({ id, name }: Account): SafeHtml {
  const initials = name
    .split(' ')
    .map(word => word[0])
    .join('')
  return html`<span class="face ${id}" aria-hidden="true">${initials}</span>`
}

export function who({ name, email }: Account): SafeHtml {
  return html`<span class="who">${name}<small>${email}</small></span>`
}

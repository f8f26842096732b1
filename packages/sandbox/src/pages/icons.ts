import type { ServerResponse } from 'node:http'
import { html } from '@remix-run/html-template'

export const check = html`<svg viewBox="0 0 20 20" aria-hidden="true"><path d="m4.5 10.5 3.6 3.6 7.4-8.2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`

export const chevron = html`<svg width="18" height="18" viewBox="0 0 20 20" aria-hidden="true"><path d="m7.5 4.5 5.5 5.5-5.5 5.5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/></svg>`

const tabIcons: Record<string, string> = {
  '/notes/icon.svg': tabIcon('N', '#e0702a'),
  '/vault/icon.svg': tabIcon('V', '#14735f'),
}

export function isIcon(pathname: string): boolean {
  return pathname in tabIcons
}

export function handleIcon(pathname: string, res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' })
  res.end(tabIcons[pathname])
}

function tabIcon(letter: string, color: string): string {
  const text = `<text x="16" y="22.5" text-anchor="middle" font-family="Georgia,serif" font-weight="700" font-size="19" fill="#fff">${letter}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="${color}"/>${text}</svg>`
}

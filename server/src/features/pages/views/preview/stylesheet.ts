import { hashSource } from '../stylesheet.ts'

export const GALLERY_STYLESHEET = `
:root { color-scheme: light dark; --ink: #14171f; --muted: #545b69; --ground: #eceff3; --line: #cdd3db }
@media (prefers-color-scheme: dark) { :root { --ink: #eceef3; --muted: #a4acba; --ground: #0c0e12; --line: #2a2f39 } }
* { box-sizing: border-box; margin: 0 }
body { padding: 28px; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 12px 28px; margin-bottom: 28px }
h1 { font-size: 19px; font-weight: 650; letter-spacing: -.012em; margin-inline-end: auto }
nav { display: flex; flex-wrap: wrap; gap: 4px }
nav a { padding: 7px 12px; border-radius: 99px; color: var(--muted); text-decoration: none; font-size: 13.5px }
nav a:hover { color: var(--ink) }
nav [aria-current] { background: var(--ink); color: var(--ground) }
h2 { margin-bottom: 16px; font-size: 16px; font-weight: 650 }
section { margin-bottom: 44px }
section div { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(390px, 100%), 1fr)); gap: 28px }
figure { display: grid; gap: 8px; align-content: start; min-width: 0 }
iframe { width: min(390px, 100%); height: 720px; border: 1px solid var(--line); border-radius: 24px; background: #fff }
figcaption { width: min(390px, 100%); font-size: 14.5px; font-weight: 550 }
figcaption a { display: inline-block; padding-block: 4px; color: inherit; text-underline-offset: 3px; text-decoration-color: var(--line) }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px }
`

export const GALLERY_STYLE_HASH = hashSource(GALLERY_STYLESHEET)

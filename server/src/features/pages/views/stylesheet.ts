import { createHash } from 'node:crypto'
import type { Look } from './model.ts'

/** The background of the card, and of the browser's interface on phones. */
export const PAPER = { light: '#fff', dark: '#16191f' }

// --primary is the organization's color and the only saturated one; --on-primary is the text color on it. Both are set in a
// separate style element. --edge outlines form controls and has a contrast of 3:1 (WCAG 1.4.11); --line only divides.
const DARK = `
  --gate: #ff7a33; --ink: #eceef3; --muted: #a4acba; --line: #2a2f39; --edge: #6d7584;
  --paper: ${PAPER.dark}; --wash: #1e222a; --ground: #0c0e12;
  --good: #67d6a5; --good-bg: #14301f; --bad: #ff9a8f; --bad-bg: #331a18;
  --warn: #f1c56f; --warn-bg: #302611; --mark: #ffa06b; --mark-bg: #33200f;
  --tile: .32 .042; --letter: .88 .085;
  --shadow: 0 0 0 1px rgb(255 255 255/.02), 0 24px 56px -20px rgb(0 0 0/.8);
`
const COLORS = `
:root {
  color-scheme: light dark; --gate: #e8590c;
  --ink: #14171f; --muted: #545b69; --line: #e5e8ed; --edge: #868e9c;
  --paper: ${PAPER.light}; --wash: #f5f6f8; --ground: #f1f3f6;
  --good: #0b6e44; --good-bg: #e6f5ed; --bad: #ab2015; --bad-bg: #fdeeec;
  --warn: #7d5200; --warn-bg: #fdf3da; --mark: #a83b00; --mark-bg: #fff0e6;
  --tile: .95 .038; --letter: .43 .12;
  --shadow: 0 1px 2px rgb(16 24 40/.05), 0 18px 44px -18px rgb(16 24 40/.2);
}
:root[data-theme=light] { color-scheme: light }
:root[data-theme=dark] { color-scheme: dark; ${DARK} }
.logo.dark, [data-theme=dark] .logo.light { display: none }
[data-theme=dark] .logo.dark { display: block }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) { ${DARK} }
  :root:not([data-theme=light]) .logo.light { display: none }
  :root:not([data-theme=light]) .logo.dark { display: block }
}
.t0 { --hue: 25 } .t1 { --hue: 60 } .t2 { --hue: 95 } .t3 { --hue: 150 }
.t4 { --hue: 195 } .t5 { --hue: 240 } .t6 { --hue: 290 } .t7 { --hue: 345 }
`

const BASE = `
* { box-sizing: border-box; margin: 0 }
[hidden] { display: none !important }
html { -webkit-text-size-adjust: 100% }
body {
  min-height: 100dvh; display: grid; place-items: center; grid-template-columns: minmax(0, 26.5rem);
  justify-content: center; padding: 32px 20px 48px; overflow-wrap: anywhere;
  background: radial-gradient(70rem 34rem at 50% -12rem, color-mix(in srgb, var(--primary) 6%, transparent), transparent) no-repeat var(--ground);
  color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif;
  -webkit-font-smoothing: antialiased;
}
.card {
  width: 100%; display: flex; flex-direction: column; --pad: 28px; padding: var(--pad); padding-bottom: 20px; position: relative;
  background: var(--paper); border: 1px solid var(--line); border-radius: var(--r); box-shadow: var(--shadow);
}
main { display: flex; flex-direction: column; flex: 1 }
ul, dl { list-style: none; padding: 0 }
h1 { font-size: 22px; line-height: 1.27; letter-spacing: -.012em; font-weight: 650; text-align: center; text-wrap: balance }
.long { font-size: 18px }
h2, small, .hint, .trust { font-size: 13.5px; color: var(--muted) }
h2 { font-weight: 500; margin-bottom: 8px }
small { display: block; line-height: 1.42 }
code { font: 12.5px ui-monospace, Menlo, Consolas, monospace; user-select: all }
.lead { color: var(--muted); text-align: center; text-wrap: balance; margin-block: 8px 16px }
.lead bdi, .note bdi { color: var(--ink) }
.icon { width: 20px; height: 20px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round }
.glyph { width: 28px; height: 28px; flex: none; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round }
.gate { stroke: var(--gate) }
[dir=rtl] :is(.back, .forward) { transform: scaleX(-1) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`

const BAR = `
header { display: flex; align-items: center; gap: 10px; min-height: 44px; margin: -12px -12px 8px }
header .organization, header .mark:first-child { margin-inline-start: 12px }
.out { margin-inline-start: auto }
.square {
  width: 44px; height: 44px; padding: 0; border-radius: calc(.6*var(--r));
  background: none; color: var(--muted); cursor: pointer
}
.square:hover { background: var(--wash); color: var(--ink) }
.organization { display: flex; align-items: center; gap: 9px; min-width: 0; font-size: 14px; font-weight: 600; line-height: 1.3 }
.organization bdi { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden }
.logo { display: block; max-width: 180px; max-height: 32px; width: auto; height: auto }
.organization .tile { width: 26px; height: 26px; border-radius: calc(.4*var(--r)); font-size: 13px }
.mark { flex: none; font-size: 12.5px; font-weight: 600; line-height: 1; padding: 6px 10px; border-radius: 99px; color: var(--mark); background: var(--mark-bg); border: 1px solid color-mix(in srgb, var(--gate) 35%, transparent) }
.organization + .mark:last-child { margin-inline: auto 12px }
.test::before {
  content: ""; position: absolute; inset: -1px -1px auto; height: 20px; border-radius: var(--r) var(--r) 0 0; pointer-events: none;
  background: repeating-linear-gradient(-45deg, var(--gate) 0 7px, transparent 7px 14px) no-repeat 0 0/100% 4px
}
`

const TILES = `
.tile, .rows i, .seal, .avatar, .square { flex: none; display: grid; place-items: center; border: 1px solid transparent; line-height: 1; overflow: hidden }
.tile, .rows i {
  font-weight: 650; font-style: normal;
  background: oklch(var(--tile) var(--hue)); color: oklch(var(--letter) var(--hue))
}
.tile { width: 60px; height: 60px; border-radius: calc(.85*var(--r)); font-size: 24px }
.two { font-size: 20px }
.tile.art, .rows .art { background: #fff; border-color: var(--line) }
.art img { display: block; width: 100%; height: 100% }
.own { background: var(--primary); color: var(--on-primary) }
.pair { display: flex; align-items: center; justify-content: center; margin-block: -4px 20px }
.joined { margin-top: 8px }
.brand { width: auto; min-width: 56px; max-width: 150px; padding: 8px 12px; background: var(--paper); border: 1px solid var(--line) }
.brand .logo { max-width: 124px; max-height: 38px }
.join { display: flex; align-items: center; color: var(--muted) }
.join .glyph { width: 42px; height: 42px; rotate: 90deg; stroke-width: 1.8 }
.join::before, .join::after { content: ""; width: 20px; margin-inline: 9px; border-top: 2px dotted var(--edge) }
.joined .join::before, .joined .join::after { width: 26px; margin: 0; border-top: 2px solid var(--good) }
.seal { width: 64px; height: 64px; border-radius: 50% }
.seal .icon { width: 32px; height: 32px; stroke-width: 1.5 }
.good { color: var(--good); background: var(--good-bg) } .bad { color: var(--bad); background: var(--bad-bg) }
.warn { color: var(--warn); background: var(--warn-bg) } .calm { color: var(--muted); background: color-mix(in srgb, var(--edge) 18%, var(--paper)) }
.picture > .glyph { width: 52px; height: 52px }
.picture { position: relative; width: fit-content; margin: 8px auto 20px }
.join .seal, .tile + .seal { width: 34px; height: 34px }
.join .seal .icon, .tile + .seal .icon { width: 20px; height: 20px; stroke-width: 2 }
.tile + .seal { position: absolute; inset: auto -14px -10px auto; box-shadow: 0 0 0 3px var(--paper) }
[dir=rtl] .tile + .seal { inset-inline: auto -14px }
.whom { align-self: center; display: inline-flex; align-items: center; gap: 8px; max-width: 100%; padding: 4px; padding-inline-end: 12px; margin-bottom: 22px; background: var(--wash); border-radius: calc(.85*var(--r)); font-size: 14px; line-height: 1.35; color: var(--muted) }
.whom bdi { color: var(--ink); font-weight: 550 }
.avatar { width: 26px; height: 26px; border-radius: 50%; font-size: 12.5px; font-weight: 650; background: color-mix(in srgb, var(--primary) 16%, var(--paper)); color: var(--ink) }
`

const CONTENT = `
.permissions { margin-bottom: 16px }
.permissions ul, .receipt { border: 1px solid var(--line); border-radius: calc(.7*var(--r)) }
.permissions li { display: flex; gap: 12px; padding: 11px 14px }
.permissions li > div { min-width: 0; flex: 1 }
.permissions details { font-size: 13.5px; color: var(--muted) }
.permissions summary { width: fit-content; padding-block: 2px; text-decoration: underline; text-underline-offset: 2px }
.permissions li + li, .receipt div + div { border-top: 1px solid var(--line) }
.permissions .icon, .note .icon { width: 18px; height: 18px; margin-top: 1px }
.permissions .icon { margin-top: 2px; stroke-width: 2; color: var(--accent) }
.note { display: flex; gap: 10px; line-height: 1.45; margin-bottom: 18px }
.info, .note.bad { font-size: 14px; padding: 12px 14px; border-radius: calc(.6*var(--r)) }
.info { background: var(--wash) }
.info bdi { font-weight: 600 }
.note.bad bdi { color: inherit }
.field { margin-bottom: 16px }
.rename { margin-bottom: 20px }
label { display: block; font-size: 14px; font-weight: 600; margin-bottom: 6px }
label small { display: inline; margin-inline-start: 6px; font-size: 13px; font-weight: 400; color: var(--muted) }
.field input { width: 100%; height: 46px; padding: 0 14px; border: 1px solid var(--edge); border-radius: calc(.6*var(--r)); background: var(--paper); color: inherit; font: inherit; font-size: 16px; text-align: start }
.field input::placeholder { color: var(--muted); opacity: 1 }
.field input:focus-visible { outline-offset: -1px; border-color: transparent }
.field [aria-invalid]:not(:focus-visible) { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad) }
.choices { border: 0; padding: 0 }
legend { padding: 0; font-size: 14px; font-weight: 600; margin-bottom: 6px }
.choices label { display: flex; align-items: center; gap: 12px; min-height: 46px; padding: 8px 14px; margin: 0; border: 1px solid var(--edge); font-size: 15px; font-weight: 400; cursor: pointer }
.choices label + label { border-top: 0 }
.choices legend + label { border-start-start-radius: calc(.6*var(--r)); border-start-end-radius: calc(.6*var(--r)) }
.choices label:last-of-type { border-end-start-radius: calc(.6*var(--r)); border-end-end-radius: calc(.6*var(--r)) }
.choices label:has(:checked) { background: var(--wash); font-weight: 550 }
.choices input { flex: none; width: 18px; height: 18px; margin: 0; padding: 0; accent-color: var(--primary) }
.choices[aria-invalid] label { border-color: var(--bad) }
.with-suffix { display: flex; align-items: center; gap: 8px }
.with-suffix span { color: var(--muted); white-space: nowrap }
.with-toggle { position: relative; display: block }
.field .with-toggle input { padding-inline-end: 96px }
.toggle { position: absolute; inset: 1px 1px 1px auto; min-width: 44px; padding: 0 14px; border: 0; border-radius: calc(.6*var(--r)); background: none; color: var(--muted); font: inherit; font-size: 13.5px; font-weight: 600; cursor: pointer }
[dir=rtl] .toggle { inset-inline: auto 1px }
.toggle:hover { color: var(--ink) }
.unfit { color: var(--bad) }
.steps { margin-top: 6px; font-size: 13.5px; color: var(--muted) }
.steps summary { width: fit-content; padding-block: 4px; color: var(--ink) }
.steps ol { margin-top: 4px; padding-inline-start: 20px; line-height: 1.5 }
.steps li + li { margin-top: 4px }
.closable { padding: 8px 0; text-align: center; font-size: 13.5px; color: var(--muted) }
.instead { display: block; padding: 10px 0; color: var(--ink); text-align: center; text-underline-offset: 2px }
.hint { margin-top: 6px }
.hint a:only-child { display: inline-block; padding-block: 4px }
.hint a { color: var(--ink); text-underline-offset: 2px; white-space: nowrap }
.receipt { margin-block: 4px 20px; font-size: 14px; line-height: 1.45 }
.receipt div { display: flex; gap: 10px; padding: 11px 12px }
.receipt :is(code, .time) { font-size: 12px }
.receipt dt { flex: none; width: 27%; color: var(--muted) }
.receipt dd { min-width: 0 }
.time { white-space: nowrap }
.actions { display: grid; gap: 8px }
.button:not(.primary, .quiet) { background: var(--wash); border-color: var(--line); color: inherit }
.button[aria-busy] { cursor: progress; opacity: .75 }
.link { padding: 4px 0; margin: -4px 0; border: 0; background: none; font: inherit; font-weight: 600; color: inherit; text-decoration: underline; text-underline-offset: 2px; cursor: pointer }
.ask, .waiting { flex: 1; display: flex; flex-direction: column }
.offline { position: sticky; top: 0; z-index: 3 }
.button { display: flex; align-items: center; justify-content: center; gap: 8px; width: 100%; min-height: 48px; padding: 12px 18px; border: 1px solid transparent; border-radius: calc(.65*var(--r)); font: inherit; font-weight: 600; line-height: 1.3; text-align: center; text-decoration: none; cursor: pointer }
.button .icon { stroke-width: 1.9 }
.primary, .own { border-color: var(--accent) }
.primary { background: var(--primary); color: var(--on-primary) }
.primary:hover { box-shadow: 0 0 0 3px color-mix(in srgb, var(--primary) 28%, transparent) }
.quiet { background: none; color: var(--muted); font-weight: 500; min-height: 44px }
.quiet:hover { background: var(--wash); color: var(--ink) }
.keys { letter-spacing: .3em }
footer nav { display: flex; align-items: center; gap: 4px 14px; margin-inline-start: auto }
footer a, summary { color: inherit; text-underline-offset: 2px }
footer nav > a, summary { padding-block: 6px }
.languages { position: relative }
summary { cursor: pointer; list-style: none; border-radius: 6px }
summary::-webkit-details-marker { display: none }
summary::after { content: ''; display: inline-block; width: 5px; height: 5px; margin-inline-start: 7px; border: solid; border-width: 0 1.5px 1.5px 0; rotate: 45deg; translate: 0 -2px }
.languages ul { position: absolute; inset: auto 0 calc(100% + 6px) auto; min-width: 11rem; padding: 6px; background: var(--paper); border: 1px solid var(--line); border-radius: calc(.65*var(--r)); box-shadow: var(--shadow); z-index: 2 }
[dir=rtl] .languages ul { inset-inline: auto 0 }
.languages a { display: block; padding: 9px 12px; border-radius: 8px; text-decoration: none; font-size: 14px; color: var(--ink) }
.languages a:hover { background: var(--wash) }
.languages [aria-current] { font-weight: 600 }
footer { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 2px 16px; margin-top: 18px; padding-top: 14px; border-top: 1px solid var(--line); font-size: 12.5px; color: var(--muted) }
footer > span:not([class]) { flex: 1 1 8rem }
.maker { display: flex; align-items: center; gap: 5px; font-weight: 550 }
.maker .glyph { width: 18px; height: 18px; margin-inline-start: -3px }
`

const PICKER = `
.search { position: relative; margin-bottom: 10px }
.search .icon { position: absolute; inset-inline-start: 14px; top: 13px; color: var(--muted); pointer-events: none }
.search input { width: 100%; height: 46px; padding: 0 14px; padding-inline-start: 44px; border: 1px solid var(--edge); border-radius: calc(.6*var(--r)); background: var(--paper); color: inherit; font: inherit; font-size: 16px; appearance: none }
.search input::placeholder { color: var(--muted); opacity: 1 }
.search input:focus-visible { outline-offset: -1px; border-color: transparent }
.chips { display: flex; gap: 6px; margin: 0 calc(-1*var(--pad)) 8px; padding: 3px var(--pad); overflow-x: auto; scrollbar-width: none; flex: none }
.chips a { flex: none; padding: 7px 13px; border: 1px solid var(--line); border-radius: 99px; font-size: 13.5px; line-height: 1.3; color: var(--muted); text-decoration: none }
.chips a:not([aria-current]):hover { background: var(--wash) }
.chips [aria-current] { background: var(--ink); border-color: var(--ink); color: var(--paper) }
.none { padding: 18px 0; text-align: center; color: var(--muted) }
.none bdi { color: var(--ink) }
.missing { margin-top: 12px; padding-top: 12px; border-top: 1px solid var(--line); text-align: center; font-size: 13.5px; color: var(--muted) }
.missing a { display: inline-block; color: var(--ink); text-underline-offset: 2px }
.card > main + header { order: -1 }
.start :is(h1, .lead) { text-align: start }
.start .lead { margin-block: 6px 14px }
.start .whom { margin-bottom: 12px }
.list { margin-inline: -12px; padding-inline: 12px }
.rows { margin-inline: -12px }
.rows button { width: 100%; border: 0; background: none; font: inherit; text-align: start; cursor: pointer }
.rows [aria-busy] { cursor: progress; opacity: .6 }
.rows :is(a, button) { display: grid; grid: auto auto/40px 1fr auto auto; align-content: center; align-items: center; column-gap: 12px; min-height: 60px; padding: 9px 12px; border-radius: calc(.65*var(--r)); color: inherit; text-decoration: none; line-height: 1.35 }
.rows :is(a, button):hover { background: var(--wash) }
.rows :is(a, button):focus-visible { outline-offset: -3px }
.rows i { grid-row: span 2; height: 40px; border-radius: calc(.6*var(--r)); font-size: 16px }
.rows bdi { font-weight: 550; place-self: end start }
.rows small { grid-area: 2/2; place-self: start }
.rows small bdi { font-weight: inherit }
.rows em { grid-area: 1/3/span 2; padding: 5px 10px; border-radius: 99px; font-style: normal; font-size: 12.5px; font-weight: 600; line-height: 1; color: var(--good); background: var(--good-bg) }
.rows :is(a, button)::after { content: ""; grid-area: 1/4/span 2; width: 7px; height: 7px; margin-inline-end: 4px; border: solid var(--edge); border-width: 1.7px 1.7px 0 0; rotate: 45deg }
[dir=rtl] .rows :is(a, button)::after { rotate: -135deg }
@media (min-width: 481px) and (min-height: 560px) {
  .card:has(.search) { height: min(720px, 100dvh - 80px) }
  .card:has(.rows) { max-height: calc(100dvh - 80px) }
  .card:has(.rows) main { min-height: 0 }
  .list { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; scrollbar-width: thin; scrollbar-color: var(--line) transparent; margin-bottom: -18px; padding-bottom: 8px }
}
`

const CONNECTIONS = `
.sub .organization { margin-inline-start: 0 }
.facts { margin-top: 16px }
.rows em.warn { color: var(--warn); background: var(--warn-bg) }
.rows em.calm { color: var(--muted); background: color-mix(in srgb, var(--edge) 18%, var(--paper)) }
.note.warn { font-size: 14px; padding: 12px 14px; border-radius: calc(.6*var(--r)) }
.note.warn bdi { color: inherit }
.card:has(.list + section) { max-height: none }
.list:has(+ section) { flex: none; overflow: visible; margin-bottom: 20px; padding-bottom: 0 }
.activity small { font-variant-numeric: tabular-nums }
.activity .icon.bang { color: var(--bad) }
.activity p { font-size: 13.5px; color: var(--muted) }
.activity ul + p { margin-top: 8px }
.halves { display: flex; flex-wrap: wrap; gap: 8px }
.halves form { flex: 1 0 auto; max-width: 100% }
.halves .button { padding-inline: 12px }
.ending > .whom { display: flex; width: fit-content; margin-inline: auto }
`

const APPROVAL = `
.app { display: flex; align-items: center; gap: 12px; margin-bottom: 16px; text-align: start }
.app .tile { width: 40px; height: 40px; border-radius: calc(.6*var(--r)); font-size: 16px }
.app > div { min-width: 0 }
.whom + .values { margin-top: 0 }
.values div { display: block }
.values dt { width: auto; margin-bottom: 2px }
.values dt em { font-style: normal; font-size: 12px; font-weight: 600; padding: 2px 8px; border-radius: 99px; color: var(--ink); background: var(--wash) }
.values .text { display: block; white-space: pre-wrap; unicode-bidi: isolate }
.values code { user-select: auto }
.values .link { padding-block: 6px }
.values .earlier { display: block; margin-top: 4px; white-space: pre-wrap }
.values .earlier em { font-style: normal; font-weight: 600 }
.empty { color: var(--muted); font-style: italic }
mark { font: 600 12px ui-monospace, Menlo, monospace; padding: 0 4px; border-radius: 4px; color: var(--warn); background: var(--warn-bg); unicode-bidi: isolate }
.why { margin-bottom: 16px; padding-inline-start: 12px; border-inline-start: 3px solid var(--line) }
.why p { white-space: pre-line }
main > .steps { margin-bottom: 16px }
.other summary { padding-block: 12px }
.other summary::after, .other[open] summary { display: none }
.danger, .danger:not(.primary, .quiet) { background: var(--bad); color: var(--paper); border-color: var(--bad) }
.other form { display: grid; gap: 8px; margin-top: 8px; color: var(--ink) }
textarea, select { width: 100%; padding: 10px 14px; border: 1px solid var(--edge); border-radius: calc(.6*var(--r)); background: var(--paper); color: inherit; font: inherit; font-size: 16px; resize: vertical }
.activity .link { min-height: 32px; font-weight: 500; text-align: start }
.check { display: flex; align-items: center; gap: 10px; min-height: 44px }
.check input { width: 20px; height: 20px; flex: none; accent-color: var(--accent) }
`

const LAYOUT = `
@media (max-width: 480px) {
  body { display: block; padding: 0; background: var(--paper) }
  .card {
    min-height: 100dvh; border: 0; border-radius: 0; box-shadow: none; --pad: 20px;
    padding: max(20px, env(safe-area-inset-top)) max(20px, env(safe-area-inset-right)) max(14px, env(safe-area-inset-bottom)) max(20px, env(safe-area-inset-left))
  }
  .test::before { inset: 0 0 auto; border-radius: 0; z-index: 2 }
  html:has(.rows) { scroll-padding-top: 72px }
  .card:has(.rows) header { position: sticky; top: 0; z-index: 1; margin: -20px -20px 0; padding: max(8px, env(safe-area-inset-top)) 8px 8px; background: var(--paper) }
  .card:has(.rows) .pair { margin-top: 4px }
  .actions { margin-top: auto }
  main > form:not(.search) { flex: 1; display: flex; flex-direction: column }
  .ending { flex: 1; display: flex; flex-direction: column; justify-content: center; padding-bottom: 6vh }
  .ending > .lead { margin-bottom: 20px }
}
@media (max-width: 360px) { .brand { max-width: 116px; padding-inline: 8px } .brand .logo { max-width: 98px } }
@media (prefers-contrast: more) { :root { --line: var(--edge); --muted: var(--ink) } }
@media (hover: none) { .keys { display: none } }
@media (pointer: coarse) {
  .chips a, footer nav > a, summary, .instead, .missing a, .hint a, .link { display: inline-flex; align-items: center; min-height: 44px; padding-block: 0; margin-block: 0 }
  .instead { display: flex; justify-content: center }
  footer nav > a, .chips a { min-width: 44px; justify-content: center }
  .languages a { padding-block: 12px }
}
@media (prefers-reduced-motion: no-preference) { .pulse:has(~ .soon:not([hidden])) { animation: pulse 1.6s ease-in-out infinite } @keyframes pulse { 50% { opacity: .35 } } .button, .square, .rows :is(a, button) { transition: background-color .12s, color .12s } }
@media print {
  body { display: block; background: none; padding: 0 }
  .card { border: 0; box-shadow: none; max-height: none !important; max-width: 26.5rem }
  .list { overflow: visible }
  .out, .back, .actions { display: none }
}
`

/** Removes comments, line breaks, and spaces beside punctuation. */
const compact = (css: string): string =>
  css
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim()

/** Inlined in every page, so that a page loads in one request and is never shown unstyled. */
export const STYLESHEET = compact(
  COLORS + BASE + BAR + TILES + CONTENT + PICKER + CONNECTIONS + APPROVAL + LAYOUT,
)

/** The organization's colors and radius. Values are validated when they are saved, so they cannot contain other CSS. */
export const brandStyle = ({ colors, radius }: Pick<Look, 'colors' | 'radius'>): string => {
  const set = ({ primary, on_primary, accent }: Look['colors']['light']) =>
    `--primary:${color(primary)};--on-primary:${color(on_primary)};--accent:${color(accent)}`
  return `:root{${set(colors.light)};--r:${radius.toFixed(0)}px}:root[data-theme=dark]{${set(colors.dark)}}@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${set(colors.dark)}}}`
}

const color = (text: string): string => {
  if (!/^#[0-9a-f]{3,8}$/i.test(text))
    throw new TypeError(`not a color: ${JSON.stringify(text.slice(0, 20))}`)
  return text
}

/** A hash source for the content security policy. */
export const hashSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const STYLE_HASH = hashSource(STYLESHEET)

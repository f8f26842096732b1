import { gzipSync } from 'node:zlib'
import { startBrowser } from '../../../e2e/support/browser.ts'
import { median } from '../figures.ts'
import { CONNECTORS, startLinkPage, WANTED } from './link-page.ts'
import { type Conditions, type Load, loadPage } from './load-page.ts'
import { bundlePicker, reactSite, type Site, serveSite } from './react-page.ts'

/** `link, zipped`: the same page from a plain server that compresses, as the React page is served. */
export const SUBJECTS = ['link', 'link, zipped', 'react'] as const
export type Subject = (typeof SUBJECTS)[number]

export const LINES = {
  loopback: { cpu: 4, line: null },
  'slow 4G': { cpu: 4, line: { latency: 150, downKilobits: 1600 } },
} satisfies Record<string, Conditions>
export type Line = keyof typeof LINES

export type Sizes = { script: number; style: number; total: number }
export type Measured = {
  line: Line
  subject: Subject
  interactive: number
  firstPaint: number
  work: number
  loads: Load[]
}
export type LinkBench = {
  connectors: number
  loads: number
  measured: Measured[]
  /** In bytes, compressed: what a page is made of, whether or not it is sent like that. */
  zipped: Record<'link' | 'react', Sizes>
  /** Link's requests to anywhere but its own origin. */
  foreign: string[]
}

export const runLinkBench = async (
  { loads, lines = ['loopback', 'slow 4G'] }: { loads: number; lines?: Line[] },
  tell: (line: string) => void = () => undefined,
): Promise<LinkBench> => {
  // Closed in the opposite order, also when a later step fails.
  await using opened = new AsyncDisposableStack()
  const browser = await startBrowser()
  opened.defer(() => browser.close())
  const link = await startLinkPage(browser)
  opened.defer(() => link.stop())
  const { html, headers, organization, user, connectors } = link
  const parts = takeApart(html)
  const site = reactSite(await bundlePicker(), parts.style, { organization, user, connectors })
  const react = await serveSite(site, headers)
  opened.defer(() => react.stop())
  const zippedLink = await serveSite({ '/': { body: html, type: 'text/html; charset=utf-8' } }, headers)
  opened.defer(() => zippedLink.stop())

  const urls: Record<Subject, string> = {
    link: link.url,
    'link, zipped': zippedLink.origin,
    react: react.origin,
  }
  const measured: Measured[] = []
  for (const line of lines) {
    const taken: Record<Subject, Load[]> = { link: [], 'link, zipped': [], react: [] }
    // The first round warms the servers and the browser, and does not count.
    for (let round = 0; round <= loads; round++) {
      tell(`${line}: ${round === 0 ? 'warming up' : `load ${round} of ${loads}`} …`)
      for (const subject of SUBJECTS) {
        const load = await loadPage(browser, urls[subject], WANTED, LINES[line])
        if (round > 0) taken[subject].push(load)
      }
    }
    for (const subject of SUBJECTS)
      measured.push({
        line,
        subject,
        interactive: median(taken[subject].map(({ interactive }) => interactive)),
        work: median(taken[subject].map(({ work }) => work)),
        firstPaint: median(taken[subject].map(({ firstPaint }) => firstPaint)),
        loads: taken[subject],
      })
  }
  const own = new URL(link.url).origin
  return {
    connectors: CONNECTORS,
    loads,
    measured,
    zipped: {
      link: { script: zip(parts.script), style: zip(parts.style), total: zip(html) },
      react: sizesOf(site),
    },
    foreign: [
      ...new Set(
        measured
          .filter(({ subject }) => subject === 'link')
          .flatMap(entry => entry.loads.flatMap(({ requests }) => requests))
          .filter(url => new URL(url).origin !== own),
      ),
    ],
  }
}

const zip = (text: string): number => gzipSync(text).length

const takeApart = (html: string): { script: string; style: string } => ({
  script: [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(match => match[1]).join(''),
  style: [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(match => match[1]).join(''),
})

const sizesOf = (site: Site): Sizes => ({
  script: zip(site['/app.js']?.body ?? ''),
  style: zip(site['/style.css']?.body ?? ''),
  total: Object.values(site).reduce((sum, { body }) => sum + zip(body), 0),
})

/** `fastest`: of the load that the machine disturbed least. `work`: of the page's own thread, which it hardly disturbs. */
export type Figure = 'median' | 'fastest' | 'work'

const figureOf = ({ interactive, work, loads }: Measured, figure: Figure): number => {
  if (figure === 'fastest') return Math.min(...loads.map(load => load.interactive))
  return figure === 'median' ? interactive : work
}

/** Link's time to interactive divided by the React page's. */
export const ratioOf = (
  { measured }: LinkBench,
  line: Line,
  { subject = 'link', figure = 'median' }: { subject?: Subject; figure?: Figure } = {},
): number => {
  const time = (wanted: Subject) => {
    const found = measured.find(entry => entry.line === line && entry.subject === wanted)
    return found ? figureOf(found, figure) : Number.NaN
  }
  return time(subject) / time('react')
}

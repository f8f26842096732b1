import { gzipSync } from 'node:zlib'
import { startBrowser } from '../../../e2e/support/browser.ts'
import { median } from '../figures.ts'
import { CONNECTORS, SEARCH_TERM, startLinkPage } from './link-page.ts'
import { type Conditions, type Load, loadPage } from './load-page.ts'
import { bundlePicker, reactSite, type Site, serveSite } from './react-page.ts'

/** `link, gzipped`: the same page, compressed and served by the same plain server as the React page. */
export const SUBJECTS = ['link', 'link, gzipped', 'react'] as const
export type Subject = (typeof SUBJECTS)[number]

export const NETWORKS = {
  loopback: { cpu: 4, network: null },
  'slow 4G': { cpu: 4, network: { latency: 150, downKilobits: 1600 } },
} satisfies Record<string, Conditions>
export type Network = keyof typeof NETWORKS

export type Sizes = { script: number; style: number; total: number }
export type Measured = {
  network: Network
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
  /** Compressed sizes in bytes, regardless of whether the page is sent compressed. */
  gzipped: Record<'link' | 'react', Sizes>
  /** Link's requests to other origins. */
  crossOrigin: string[]
}

export const runLinkBench = async (
  { loads, networks = ['loopback', 'slow 4G'] }: { loads: number; networks?: Network[] },
  log: (line: string) => void = () => undefined,
): Promise<LinkBench> => {
  // Closed in reverse order, even if a later step fails.
  await using opened = new AsyncDisposableStack()
  const browser = await startBrowser()
  opened.defer(() => browser.close())
  const link = await startLinkPage(browser)
  opened.defer(() => link.stop())
  const { html, headers, organization, user, connectors } = link
  const parts = extractInline(html)
  const site = reactSite(await bundlePicker(), parts.style, { organization, user, connectors })
  const react = await serveSite(site, headers)
  opened.defer(() => react.stop())
  const gzippedLink = await serveSite({ '/': { body: html, type: 'text/html; charset=utf-8' } }, headers)
  opened.defer(() => gzippedLink.stop())

  const urls: Record<Subject, string> = {
    link: link.url,
    'link, gzipped': gzippedLink.origin,
    react: react.origin,
  }
  const measured: Measured[] = []
  for (const network of networks) {
    const samples: Record<Subject, Load[]> = { link: [], 'link, gzipped': [], react: [] }
    // The first round is a warm-up of the servers and the browser, and is not counted.
    for (let round = 0; round <= loads; round++) {
      log(`${network}: ${round === 0 ? 'warming up' : `load ${round} of ${loads}`} …`)
      for (const subject of SUBJECTS) {
        const load = await loadPage(browser, urls[subject], SEARCH_TERM, NETWORKS[network])
        if (round > 0) samples[subject].push(load)
      }
    }
    for (const subject of SUBJECTS)
      measured.push({
        network,
        subject,
        interactive: median(samples[subject].map(({ interactive }) => interactive)),
        work: median(samples[subject].map(({ work }) => work)),
        firstPaint: median(samples[subject].map(({ firstPaint }) => firstPaint)),
        loads: samples[subject],
      })
  }
  const own = new URL(link.url).origin
  return {
    connectors: CONNECTORS,
    loads,
    measured,
    gzipped: {
      link: { script: gzippedSize(parts.script), style: gzippedSize(parts.style), total: gzippedSize(html) },
      react: sizesOf(site),
    },
    crossOrigin: [
      ...new Set(
        measured
          .filter(({ subject }) => subject === 'link')
          .flatMap(entry => entry.loads.flatMap(({ requests }) => requests))
          .filter(url => new URL(url).origin !== own),
      ),
    ],
  }
}

const gzippedSize = (text: string): number => gzipSync(text).length

const extractInline = (html: string): { script: string; style: string } => ({
  script: [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(match => match[1]).join(''),
  style: [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(match => match[1]).join(''),
})

const sizesOf = (site: Site): Sizes => ({
  script: gzippedSize(site['/app.js']?.body ?? ''),
  style: gzippedSize(site['/style.css']?.body ?? ''),
  total: Object.values(site).reduce((sum, { body }) => sum + gzippedSize(body), 0),
})

/** `fastest`: of the fastest load. `work`: CPU time of the page's main thread, which other load hardly affects. */
export type Figure = 'median' | 'fastest' | 'work'

const figureOf = ({ interactive, work, loads }: Measured, figure: Figure): number => {
  if (figure === 'fastest') return Math.min(...loads.map(load => load.interactive))
  return figure === 'median' ? interactive : work
}

/** Link's figure divided by that of the React page. */
export const ratioOf = (
  { measured }: LinkBench,
  network: Network,
  { subject = 'link', figure = 'median' }: { subject?: Subject; figure?: Figure } = {},
): number => {
  const time = (name: Subject) => {
    const entry = measured.find(one => one.network === network && one.subject === name)
    return entry ? figureOf(entry, figure) : Number.NaN
  }
  return time(subject) / time('react')
}

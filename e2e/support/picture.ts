import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Pictures to look at; nothing compares them. */
const FOLDER = join(import.meta.dirname, '../../test-output/e2e')
mkdirSync(FOLDER, { recursive: true })

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const
const NARROWEST = { width: 320, height: 640 }
const WCAG_22_AA: RunOptions = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  resultTypes: ['violations'],
  preload: false,
}

type Look = { theme: 'light' | 'dark'; size: keyof typeof SIZES }

const LOOKS: Look[] = [
  { theme: 'light', size: 'desktop' },
  { theme: 'dark', size: 'phone' },
  { theme: 'light', size: 'phone' },
  { theme: 'dark', size: 'desktop' },
]

/**
 * Pairwise: every state meets both themes and both sizes, and over two neighbours every theme meets every size. A variant
 * has other words in the same shape and colours: one look each, in turn.
 */
const looksFor = (position: number, variant: boolean): Look[] =>
  variant ? LOOKS.slice(position % 4, (position % 4) + 1) : position % 2 ? LOOKS.slice(2) : LOOKS.slice(0, 2)

/** The page as it stands: photographed, judged by axe, and narrowed until it would have to scroll sideways. */
export const judgeLooks = async (
  page: Page,
  { name, position, variant }: { name: string; position: number; variant: boolean },
): Promise<void> => {
  for (const [index, { theme, size }] of looksFor(position, variant).entries()) {
    await page.setViewportSize(SIZES[size])
    await page.emulateMedia({ colorScheme: theme })
    await page.screenshot({ path: join(FOLDER, `${name}-${theme}-${size}.png`), fullPage: true })
    const { violations } = await (index === 0 ? firstVerdict(page) : nextVerdict(page))
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      [],
      `${name}, ${theme}, ${size}`,
    )
  }
  await page.setViewportSize(NARROWEST)
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(width <= NARROWEST.width, `${name} is ${width} px wide at ${NARROWEST.width} px`)
}

const firstVerdict = (page: Page): Promise<AxeResults> =>
  new AxeBuilder({ page }).setLegacyMode().options(WCAG_22_AA).analyze()

/** Axe is in the page already; bringing it there takes longer than its judgement. */
const nextVerdict = (page: Page): Promise<AxeResults> =>
  page.evaluate(`axe.run(${JSON.stringify(WCAG_22_AA)})`)

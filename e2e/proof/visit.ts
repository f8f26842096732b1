import type { LinkLanguage } from '@carabiner/contract'
import type { BrowserContext, Page } from 'playwright-core'
import { wordsIn } from '../../server/src/features/link/views/words/index.ts'
import type { State } from '../states.ts'
import { createVisitor, newAddress } from '../support/browser.ts'
import { SIZES } from '../support/picture.ts'
import type { Stage } from './stage.ts'

/** Reaches a state in one language, lets it be looked at, and leaves nothing of it behind. */
export type Visit = (
  state: State,
  language: LinkLanguage,
  look: (page: Page) => Promise<void>,
) => Promise<void>

/** One person for each language looks at everything, and leaves with the browser. */
export const createVisits = (stage: Stage): Visit => {
  const people = new Map<LinkLanguage, Promise<BrowserContext>>()
  const personFor = (language: LinkLanguage): Promise<BrowserContext> => {
    const known =
      people.get(language) ??
      createVisitor(stage.browser, { after: () => undefined }, { locale: language }).then(
        async ({ context, page }) => {
          await page.close()
          return context
        },
      )
    people.set(language, known)
    return known
  }
  return async ({ reach, size }, language, look) => {
    const context = await personFor(language)
    await context.clearCookies()
    await context.setExtraHTTPHeaders(newAddress())
    const page = await context.newPage()
    if (size) await page.setViewportSize(SIZES[size])
    const undo: (() => unknown)[] = []
    try {
      await reach({ stage, page, context, words: wordsIn(language), later: act => undo.push(act) })
      await look(page)
    } finally {
      for (const act of undo) await act()
      await page.close()
    }
  }
}

/** English stands for every language that is read from the left, Arabic for those that are read from the right. */
export const directionsOf = ({ language }: State): LinkLanguage[] => (language ? [language] : ['en', 'ar'])

import type { LinkLanguage } from '@carabiner/contract'
import type { Page } from 'playwright-core'
import { wordsIn } from '../../server/src/features/link/views/words/index.ts'
import type { State } from '../states.ts'
import { createVisitor, newAddress, type Visitor } from '../support/browser.ts'
import { SIZES } from '../support/picture.ts'
import type { Stage } from './stage.ts'

/** Reaches a state in one language, lets it be looked at, and leaves nothing of it behind. */
export type Visit = (
  state: State,
  language: LinkLanguage,
  look: (page: Page) => Promise<void>,
) => Promise<void>

/**
 * One person for each language looks at everything, in one window: a new one would be a new process of the browser, which would
 * read every script again.
 */
export const createVisits = (stage: Stage): Visit => {
  const people = new Map<LinkLanguage, Promise<Visitor>>()
  const personFor = (language: LinkLanguage): Promise<Visitor> => {
    const known =
      people.get(language) ?? createVisitor(stage.browser, { after: () => undefined }, { locale: language })
    people.set(language, known)
    return known
  }
  return async ({ reach, size }, language, look) => {
    const { context, page } = await personFor(language)
    await context.clearCookies()
    await context.setExtraHTTPHeaders(newAddress())
    await page.setViewportSize(SIZES[size ?? 'desktop'])
    const undo: (() => unknown)[] = []
    try {
      await reach({ stage, page, context, words: wordsIn(language), later: act => undo.push(act) })
      await look(page)
    } finally {
      for (const act of undo) await act()
      await page.unrouteAll()
      await page.emulateMedia({ reducedMotion: null, colorScheme: null })
      await page.goto('about:blank')
    }
  }
}

/** English stands for every language that is read from the left, Arabic for those that are read from the right. */
export const directionsOf = ({ language }: State): LinkLanguage[] => (language ? [language] : ['en', 'ar'])

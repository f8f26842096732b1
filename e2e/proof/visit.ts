import type { LinkLanguage } from '@carabiner/contract'
import type { Page } from 'playwright-core'
import { wordsIn } from '../../server/src/features/link/views/words/index.ts'
import type { State } from '../states.ts'
import { createVisitor, newAddress, type Visitor } from '../support/browser.ts'
import { SIZES } from '../support/check-page.ts'
import type { Stage } from './stage.ts'

/** Reaches a state in one language, runs the check, and cleans up. */
export type Visit = (
  state: State,
  language: LinkLanguage,
  look: (page: Page) => Promise<void>,
) => Promise<void>

/**
 * One user per language visits all states in one window, because a new window would be a new browser process, which would
 * parse every script again.
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

/** English represents left-to-right languages, Arabic right-to-left languages. */
export const directionsOf = ({ language }: State): LinkLanguage[] => (language ? [language] : ['en', 'ar'])

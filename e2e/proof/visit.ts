import type { LinkLanguage } from '@carabiner/contract'
import type { Page } from 'playwright-core'
import { wordsIn } from '../../server/src/features/pages/views/words/index.ts'
import { newAddress } from '../../server/test/support/client-address.ts'
import type { State } from '../states.ts'
import { createVisitor, type Visitor } from '../support/browser.ts'
import { SIZES } from '../support/check-page.ts'
import type { Stage } from './stage.ts'

/** Reaches a state in one language, runs the check, and cleans up. */
export type Visit = (
  state: State,
  language: LinkLanguage,
  check: (page: Page) => Promise<void>,
) => Promise<void>

/**
 * One user per language visits all states in one window, because a new window would be a new browser process, which would
 * parse every script again.
 */
export const createVisits = (stage: Stage): Visit => {
  const visitors = new Map<LinkLanguage, Promise<Visitor>>()
  const visitorFor = (language: LinkLanguage): Promise<Visitor> => {
    const visitor =
      visitors.get(language) ?? createVisitor(stage.browser, { after: () => undefined }, { locale: language })
    visitors.set(language, visitor)
    return visitor
  }
  return async ({ reach, size }, language, check) => {
    const { context, page } = await visitorFor(language)
    await context.clearCookies()
    await context.setExtraHTTPHeaders({ 'x-forwarded-for': newAddress() })
    await page.setViewportSize(SIZES[size ?? 'desktop'])
    const undo: (() => unknown)[] = []
    try {
      await reach({ stage, page, context, words: wordsIn(language), onCleanup: act => undo.push(act) })
      await check(page)
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

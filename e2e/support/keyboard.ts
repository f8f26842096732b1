import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const MAX_STOPS = 20

type Focused = { name: string; outline: string; width: number }

const FOCUSED = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  return { name: element.getAttribute('aria-label') ?? (element.textContent || (element.closest('label')?.textContent ?? '')), outline: outlineStyle, width: parseFloat(outlineWidth) }
})()`

/** Presses Tab until the named control has the focus. Every focused control must show its focus. */
export const tabTo = async (page: Page, name: string | RegExp): Promise<void> => {
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<Focused>(FOCUSED)
    assert.ok(focused.outline !== 'none' && focused.width >= 2, `focus is not visible on "${focused.name}"`)
    if (typeof name === 'string' ? focused.name.includes(name) : name.test(focused.name)) return
  }
  throw new Error(`the keyboard does not reach ${name}`)
}

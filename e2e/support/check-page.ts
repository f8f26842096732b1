import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Frame, Page } from 'playwright-core'
import { measured } from '../../scripts/testing/costs.ts'

export type Appearance = {
  theme: 'light' | 'dark'
  size: 'desktop' | 'phone'
  motion: 'reduce' | 'no-preference'
}

export const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const
const MIN_VIEWPORT = { width: 320, height: 640 }
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WCAG_22_AA: RunOptions = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  resultTypes: ['violations'],
  preload: false,
  // Each frame is checked separately.
  iframes: false,
}

/** The page and its visible frames. The frames of the preview gallery are pages that other states check. */
const shownFrames = (page: Page): Frame[] =>
  page.frames().filter(frame => {
    const isPreview = frame.parentFrame() !== null && frame.url().includes('/link/preview/')
    return frame.url().startsWith('http') && !isPreview
  })

/** Checks the page with axe and returns the problems. Saves a screenshot if there are problems or `always` is set. */
export const checkAppearance = (
  page: Page,
  appearance: Appearance,
  screenshot: string,
  options: { always: boolean },
): Promise<string[]> =>
  measured('checking an appearance', () => checkThemeAndSize(page, appearance, screenshot, options))

const checkThemeAndSize = async (
  page: Page,
  appearance: Appearance,
  screenshot: string,
  { always }: { always: boolean },
): Promise<string[]> => {
  // Reduced motion first, because the following changes may be animated.
  await page.emulateMedia({ reducedMotion: appearance.motion })
  await page.emulateMedia({ colorScheme: appearance.theme })
  await page.setViewportSize(SIZES[appearance.size])
  const frames = shownFrames(page)
  // Color transitions must finish before the contrast is checked.
  const animations = await Promise.all(frames.map(frame => frame.evaluate<string[]>(FINISH_ANIMATIONS)))
  const found = await Promise.all(frames.map(checkFrame))
  if (appearance.motion === 'reduce') found.push(animations.flat().map(animation => `moves: ${animation}`))
  const problems = found.flat()
  if (always || problems.length > 0) {
    mkdirSync(dirname(screenshot), { recursive: true })
    await page.screenshot({ path: screenshot, fullPage: true })
  }
  return problems
}

const FINISH_ANIMATIONS = `(async () => {
  const running = document.getAnimations()
  const ending = running.filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
  await Promise.allSettled(ending.map(({ finished }) => finished))
  return running.map(({ effect, transitionProperty }) => (transitionProperty ?? '') + ' of ' + effect.target.outerHTML.slice(0, 80))
})()`

const checkFrame = async (frame: Frame): Promise<string[]> => {
  // Loading axe takes longer than running it, so it is loaded once. The debugger bypasses the content security policy.
  if (!(await frame.evaluate<boolean>(`'axe' in window`))) await frame.evaluate(`${AXE};0`)
  const violations = await frame.evaluate<AxeResults['violations']>(
    `axe.run(${JSON.stringify(WCAG_22_AA)}).then(({ violations }) => violations)`,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`)
}

export type Layout = {
  problems: string[]
  /** Targets from 24 px, the minimum of WCAG 2.5.8, to 44 px. */
  smallTargets: string[]
}

/** Checks that do not depend on colors: target size, visible focus, and no overflow on a small phone. */
export const checkLayout = async (page: Page): Promise<Layout> => {
  await page.setViewportSize(MIN_VIEWPORT)
  // Switches to keyboard modality, so that focus rings are shown.
  await page.keyboard.press('Tab')
  const found = await Promise.all(shownFrames(page).map(frame => frame.evaluate<Layout>(CHECK_LAYOUT)))
  return {
    problems: found.flatMap(({ problems }) => problems),
    smallTargets: found.flatMap(({ smallTargets }) => smallTargets),
  }
}

const CHECK_LAYOUT = `(() => {
  const problems = []
  const smallTargets = []
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) problems.push(scrollWidth + ' px wide at ' + clientWidth + ' px')

  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const luminance = color => {
    pixel.clearRect(0, 0, 1, 1)
    pixel.fillStyle = color
    pixel.fillRect(0, 0, 1, 1)
    const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data
    if (alpha < 255) return null
    const [r, g, b] = [red, green, blue].map(byte => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const backgroundLuminance = element => {
    for (let at = element; at; at = at.parentElement) {
      const found = luminance(getComputedStyle(at).backgroundColor)
      if (found !== null) return found
    }
    return null
  }
  // The value of a component in a form: it cannot be seen, focused or pressed, and the control itself is beside it.
  const isFormValue = element => {
    if (!element.matches('input[aria-hidden=true][tabindex="-1"]')) return false
    const { width, height } = element.getBoundingClientRect()
    const isUnseen = width <= 1 && height <= 1 && getComputedStyle(element).clipPath === 'inset(50%)'
    const control = '[role=checkbox], [role=switch], [role=radio], [role=combobox], button'
    return isUnseen && [...element.parentElement.children].some(sibling => sibling.matches(control))
  }
  for (const element of document.querySelectorAll('a[href], button, input:not([type=hidden]), summary')) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue
    if (isFormValue(element)) continue
    const name = (element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40) || element.name
    const { width, height } = (element.closest('label') ?? element).getBoundingClientRect()
    const inSentence = /^inline/.test(getComputedStyle(element).display) && /^(P|DIV|SPAN)$/.test(element.parentElement.tagName) && element.parentElement.textContent.trim() !== element.textContent.trim()
    const size = Math.round(Math.min(width, height) * 10) / 10
    if (!inSentence && size < 24) problems.push('"' + name + '" is a target of ' + size + ' px')
    else if (!inSentence && size < 44) smallTargets.push(name + ' ' + size)
    // An open dialog hides the rest of the page, and marks it.
    if (element.ariaHidden === 'true' && !element.closest('[data-base-ui-inert]')) problems.push('"' + name + '" is a target that screen readers do not find')
    element.focus({ focusVisible: true })
    if (document.activeElement !== element) continue
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
    // The width of the browser's default focus ring is not defined.
    if (outlineStyle === 'auto') continue
    if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) problems.push('focus is not visible on "' + name + '"')
    const [ring, background] = [luminance(outlineColor), backgroundLuminance(element.parentElement)]
    if (ring === null || background === null) continue
    const contrast = (Math.max(ring, background) + 0.05) / (Math.min(ring, background) + 0.05)
    if (contrast < 3) problems.push('the focus ring of "' + name + '" has a contrast of ' + contrast.toFixed(2))
  }
  document.activeElement?.blur()
  return { problems, smallTargets }
})()`

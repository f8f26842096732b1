import './styles.css'

/** Runs when the browser has painted what the document contains, or soon after in a tab that is not visible. */
const afterPaint = (): Promise<void> =>
  new Promise(resolve => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, 200)
  })

/**
 * The entry of all pages but sign-in. The service renders Home; it is painted before the rest of the script is requested, because a
 * slow processor takes longer for the script than for the page.
 */
const isRendered = document.getElementById('root')?.firstElementChild !== null
if (isRendered) {
  await afterPaint()
  void import('./pages/home/home-page.tsx')
}
await import('./main.tsx')

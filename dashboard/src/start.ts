import './styles.css'

/** The next paint, or a moment later in a tab that is not visible. */
const afterPaint = (): Promise<void> =>
  new Promise(resolve => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, 200)
  })

/**
 * The entry of all pages but sign-in. The document contains the skeleton of the page. The script runs after the skeleton is painted,
 * because a slow processor takes longer for the script than for the paint.
 */
await afterPaint()
await import('./main.tsx')

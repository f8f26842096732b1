// Without it, the validation library compiles code, which the content security policy rejects.
globalThis.__zod_globalConfig = { jitless: true }
const { createApiReference } = await import('./standalone.esm.js')

/** The theme that was chosen on the other pages. */
const stored = localStorage.getItem('vitepress-theme-appearance')
const isDark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.classList.toggle('dark', isDark)

createApiReference('#reference', {
  url: '/api/v1/openapi.json',
  theme: 'none',
  layout: 'modern',
  forceDarkModeState: isDark ? 'dark' : 'light',
  hideDarkModeToggle: true,
  hideClientButton: true,
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  persistAuth: false,
  // Nothing is requested from other hosts.
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
})

// The library gives some buttons no name, and others one that differs from their text, which speech control needs.
const correctNames = () => {
  for (const button of document.querySelectorAll('button.scalar-code-copy:not([aria-label])'))
    button.ariaLabel = 'Copy'
  for (const button of document.querySelectorAll('button.show-more[aria-label]')) button.ariaLabel = null
}
new MutationObserver(correctNames).observe(document.body, { childList: true, subtree: true })
correctNames()

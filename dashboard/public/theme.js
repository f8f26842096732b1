// Runs before the first paint, so that a stored theme does not flash. It is a file because the content security policy allows
// no inline script. src/shell/theme.ts changes the setting.
;(() => {
  const isDark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const stored = localStorage.getItem('carabiner.theme')
    const theme = stored === 'light' || stored === 'dark' ? stored : isDark.matches ? 'dark' : 'light'
    document.documentElement.dataset.theme = theme
  }
  apply()
  isDark.addEventListener('change', apply)
  addEventListener('storage', apply)
  addEventListener('carabiner:theme', apply)
})()

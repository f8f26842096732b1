import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'carabiner.theme'
const EVENT = 'carabiner:theme'

const read = (): Theme => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** The page's theme.js applies the setting, in every open tab. */
export const setTheme = (theme: Theme): void => {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  window.dispatchEvent(new Event(EVENT))
}

const subscribe = (listener: () => void): (() => void) => {
  const names = [EVENT, 'storage']
  for (const name of names) window.addEventListener(name, listener)
  return () => names.forEach(name => window.removeEventListener(name, listener))
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, read)

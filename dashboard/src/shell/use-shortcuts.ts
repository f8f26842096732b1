import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useScope } from '../api/use-api.ts'

/** Two keys of a sequence must follow each other within this time. */
const SEQUENCE_MS = 1000

/** The pages beyond the navigation, and their icons, are not part of the first script. */
const loadPages = () => import('./navigation/other-pages.ts')

type Actions = { openPalette: () => void; openHelp: () => void }

/** ⌘K and Ctrl+K everywhere; single keys only outside of text fields and dialogs. */
export const useShortcuts = ({ openPalette, openHelp }: Actions): void => {
  const navigate = useNavigate()
  const { organization, mode } = useScope()
  useEffect(() => {
    let startedAt = 0
    const goTo = async (key: string): Promise<void> => {
      const { ALL_PAGES } = await loadPages()
      const target = ALL_PAGES.find(({ shortcut }) => shortcut === key)
      if (target) await navigate({ to: target.to, params: { organization, mode } })
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        openPalette()
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      if (event.key === 'g') {
        startedAt = Date.now()
        void loadPages()
      } else if (/^[a-z]$/.test(event.key) && Date.now() - startedAt < SEQUENCE_MS) {
        startedAt = 0
        void goTo(event.key)
      } else if (event.key === '?') openHelp()
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('[data-search]')
        if (!search) return
        event.preventDefault()
        search.focus()
      }
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [navigate, openPalette, openHelp, organization, mode])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input, textarea, select, [role="dialog"], [role="menu"]') !== null)

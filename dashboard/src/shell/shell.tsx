import { Outlet, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useScope } from '../api/use-api.ts'
import { LeaveGuard } from '../drafts/leave-guard.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { AbovePage, isAnswerPending, useShowAbove } from '../ui/overlays/overlay-stack.tsx'
import { Frame } from './frame.tsx'
import { LimitBanner } from './limit-banner.tsx'
import { Mark } from './mark.tsx'
import { ModeSwitch } from './navigation/mode-switch.tsx'
import { Sidebar } from './navigation/sidebar.tsx'
import { COMMAND_KEY } from './platform.ts'
import { SignInGate } from './sign-in-gate.tsx'
import { useFocusOnNavigation } from './use-focus-on-navigation.ts'
import { useRecentPages } from './use-recent-pages.ts'
import { needsPassword, useMembership, useSession } from './use-session.ts'
import { useShortcuts } from './use-shortcuts.ts'

const Invitations = lazy(() => import('./invitations.tsx'))
const PasswordReminder = lazy(() => import('./password-reminder.tsx'))
const SuspendedBanner = lazy(() => import('./suspended-banner.tsx'))
const PhoneNavigation = lazy(() => import('./navigation/phone-navigation.tsx'))
const CommandPalette = lazy(() => import('./search/command-palette.tsx'))
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx'))

type Overlay = 'shortcuts' | 'navigation' | null

/** Around all pages of an organization. */
export const Shell = () => {
  const { mode } = useScope()
  const { invitations, person } = useSession()
  const { name, suspended } = useMembership()
  const [overlay, setOverlay] = useState<Overlay>(null)
  const main = useFocusOnNavigation()
  const openPalette = usePalette()
  useRecentPages()
  useShortcuts({ openPalette, openHelp: () => setOverlay('shortcuts') })
  const close = (): void => setOverlay(null)
  return (
    <>
      {mode === 'test' && (
        <div role="note" aria-label="Test mode" className="stripe fixed inset-x-0 top-0 z-30 h-[3px]" />
      )}
      <Progress />
      <Frame
        sidebar={<Sidebar />}
        header={
          <>
            <IconButton
              label="Open navigation"
              className="md:hidden"
              icon={<MenuIcon className="size-5" aria-hidden="true" />}
              onClick={() => setOverlay('navigation')}
            />
            <span className="md:hidden">
              <Mark />
            </span>
            <SearchButton onClick={openPalette} />
            <ModeSwitch />
          </>
        }
        banners={
          <>
            {invitations.length > 0 && (
              <div className="mx-4 mb-4 grid gap-3 md:mx-8">
                <Suspense>
                  <Invitations />
                </Suspense>
              </div>
            )}
            {needsPassword(person) && (
              <Suspense>
                <PasswordReminder />
              </Suspense>
            )}
            {suspended && (
              <Suspense>
                <SuspendedBanner name={name} />
              </Suspense>
            )}
            <LimitBanner />
          </>
        }
        mainRef={main}
      >
        <Outlet />
      </Frame>
      <Suspense>
        {overlay === 'navigation' && <PhoneNavigation onClose={close} />}
        {overlay === 'shortcuts' && <ShortcutHelp onClose={close} />}
      </Suspense>
      <LeaveGuard />
      <AbovePage />
      <SignInGate />
    </>
  )
}

/** The palette opens above an open dialog or drawer, unless that must be answered first. */
const usePalette = (): (() => void) => {
  const [isOpen, setOpen] = useState(false)
  const draft = useRef('')
  const palette = useMemo(
    () =>
      isOpen ? (
        <Suspense>
          <CommandPalette draft={draft} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null,
    [isOpen],
  )
  useShowAbove(palette)
  return useCallback(() => {
    if (isAnswerPending()) return
    draft.current = ''
    setOpen(true)
  }, [])
}

const SearchButton = ({ onClick }: { onClick: () => void }) => (
  <button
    type="button"
    onClick={onClick}
    aria-keyshortcuts="Meta+K Control+K"
    className="ms-auto flex h-9 items-center gap-2 rounded-control border border-line bg-paper px-3 text-sm text-muted hover:border-line-strong max-md:size-11 max-md:justify-center max-md:px-0 md:w-60"
  >
    <Search className="size-4" aria-hidden="true" />
    <span className="max-md:sr-only">Search or jump to</span>
    <span className="ms-auto flex gap-0.5 max-md:hidden" aria-hidden="true">
      <Kbd>{COMMAND_KEY}</Kbd>
      <Kbd>K</Kbd>
    </span>
  </button>
)

/** A line at the top while the next page loads. */
const Progress = () => {
  const isPending = useRouterState({ select: state => state.status === 'pending' })
  return isPending ? (
    <div
      role="progressbar"
      aria-label="Loading the page"
      className="fixed inset-x-0 top-0 z-40 h-0.5 animate-pulse bg-ink"
    />
  ) : null
}

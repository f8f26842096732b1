import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { unsavedChanges } from './unsaved-changes.ts'

const LeaveDialog = lazy(() => import('./leave-dialog.tsx'))

type Location = { pathname: string }

/** Tabs and drawers are part of the same page, and so is the page in the other mode. */
const withoutMode = ({ pathname }: Location): string =>
  pathname.replace(/^(\/o\/[^/]+)\/(production|test)(?=\/|$)/, '$1')

const isLeaving = ({ current, next }: { current: Location; next: Location }): boolean =>
  unsavedChanges.exist() && withoutMode(current) !== withoutMode(next)

/** Asks before a page with unsaved changes is left. */
export const LeaveGuard = () => {
  const isNeeded = useSyncExternalStore(unsavedChanges.subscribe, unsavedChanges.exist)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isLeaving,
    enableBeforeUnload: isNeeded,
    disabled: !isNeeded,
    withResolver: true,
  })
  return status === 'blocked' ? (
    <Suspense>
      <LeaveDialog onLeave={proceed} onStay={reset} />
    </Suspense>
  ) : null
}

import { ErrorNote } from '../../ui/states/error-note.tsx'
import { needsRecentSignIn } from './use-policies.ts'

/** Why a change was not saved. */
export const SaveError = ({ error }: { error: unknown }) =>
  needsRecentSignIn(error) ? (
    <p role="alert" className="rounded-control bg-warn-soft px-3 py-2.5 text-sm text-warn">
      Not saved. This change can let more calls run, so you must have signed in within the last ten minutes.
      Save again to sign in; your changes are kept.
    </p>
  ) : (
    <ErrorNote error={error} />
  )

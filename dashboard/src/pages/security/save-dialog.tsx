import { ArrowRight } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import type { Difference } from './rule-draft.ts'

type Props = {
  changes: readonly Difference[]
  isBusy: boolean
  error: unknown
  onSave: () => void
  onClose: () => void
}

/** All changes are saved together, after a look at them. */
const SaveDialog = ({ changes, isBusy, error, onSave, onClose }: Props) => (
  <Dialog
    isOpen
    onClose={onClose}
    width="md"
    title={changes.length === 1 ? 'Save 1 change?' : `Save ${changes.length} changes?`}
    description="They apply from the next tool call on, in both modes."
    actions={
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={isBusy} onClick={onSave}>
          Save
        </Button>
      </>
    }
  >
    <ul
      aria-label="Changes"
      className="max-h-80 divide-y divide-line overflow-y-auto rounded-popup border border-line"
    >
      {changes.map(({ what, from, to }) => (
        <li key={what} className="grid gap-0.5 px-3.5 py-2.5 text-sm">
          <span className="font-medium">{what}</span>
          <span className="flex flex-wrap items-center gap-1.5 text-muted">
            <span className="sr-only">from</span> {from}
            <ArrowRight className="size-3.5" aria-hidden="true" />
            <span className="sr-only">to</span> <span className="text-ink">{to}</span>
          </span>
        </li>
      ))}
    </ul>
    {error !== null && <ErrorNote error={error} />}
  </Dialog>
)

export default SaveDialog

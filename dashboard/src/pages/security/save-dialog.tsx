import { ArrowRight } from 'lucide-react'
import { type DialogRequest, FormDialog } from '../../ui/overlays/form-dialog.tsx'
import type { Difference } from './rule-draft.ts'

type Props = {
  changes: readonly Difference[]
  request: DialogRequest
  onSave: () => void
  onClose: () => void
}

/** All changes are saved together, after a look at them. */
const SaveDialog = ({ changes, request, onSave, onClose }: Props) => (
  <FormDialog
    title={changes.length === 1 ? 'Save 1 change?' : `Save ${changes.length} changes?`}
    description="The changes apply from the next tool call, in both modes."
    width="md"
    action="Save"
    onClose={onClose}
    onSubmit={onSave}
    request={request}
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
  </FormDialog>
)

export default SaveDialog

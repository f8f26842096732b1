import { ExternalLink } from 'lucide-react'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { DialogActions } from '../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../ui/states/error-note.tsx'
import type { AccountDialogProps } from './account-owner.ts'

/** Leads to the page on which the entered values of an organization's account are replaced. The dashboard itself never sees a credential. */
const ReplaceDialog = ({ owner, name, onClose }: AccountDialogProps) => {
  const { data, error, isPending, mutate } = useApiMutation((api, id: string) =>
    api.registeredUsers.connectionsLink(id),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Replace credentials of ${name}`}
      description={`Create a link, open it, and choose ${name}. The link works for 30 minutes, in one browser.`}
    >
      {error && <ErrorNote error={error} />}
      <DialogActions>
        {data ? (
          <a href={data.url} target="_blank" rel="noreferrer" className={buttonClass('primary')}>
            <ExternalLink className="size-4" aria-hidden="true" /> Open
          </a>
        ) : (
          <Button kind="primary" isBusy={isPending} onClick={() => mutate(owner.id)}>
            Create link
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

export default ReplaceDialog

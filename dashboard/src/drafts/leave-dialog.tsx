import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { unsavedChanges } from './unsaved-changes.ts'

type Props = { onLeave: () => void; onStay: () => void }

const LeaveDialog = ({ onLeave, onStay }: Props) => {
  const discardAndLeave = (): void => {
    unsavedChanges.discard()
    onLeave()
  }
  return (
    <Dialog
      isOpen
      onClose={onStay}
      title="Leave with unsaved changes?"
      description="Your draft stays in this browser tab, except for secrets you typed. Return to this page to save it."
      actions={
        <>
          <Button kind="quiet-danger" onClick={discardAndLeave}>
            Discard changes
          </Button>
          <Button onClick={onLeave}>Keep draft and leave</Button>
          <Button kind="primary" onClick={onStay}>
            Stay
          </Button>
        </>
      }
    />
  )
}

export default LeaveDialog

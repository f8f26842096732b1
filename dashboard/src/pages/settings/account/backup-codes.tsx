import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { useCopy } from '../../../ui/copy-button.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'

/** Shows the codes once. */
export const BackupCodes = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => {
  const [isStored, setStored] = useState(false)
  const { isCopied, copy } = useCopy()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      mustAnswer
      title="Store your backup codes"
      description="Each code works once, if you have lost the authenticator app. They are shown only now."
    >
      <div className="grid gap-3 rounded-popup border border-line bg-ground p-3.5">
        <ul aria-label="Backup codes" className="grid grid-cols-2 gap-x-4 gap-y-1 font-mono text-sm">
          {codes.map(code => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Button className="justify-self-start" onClick={() => copy(codes.join('\n'))}>
          {isCopied ? 'Copied' : 'Copy the codes'}
        </Button>
      </div>
      <Checkbox isChecked={isStored} onChange={setStored}>
        I have stored the codes
      </Checkbox>
      <div className="flex justify-end max-md:*:flex-1">
        <Button kind="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

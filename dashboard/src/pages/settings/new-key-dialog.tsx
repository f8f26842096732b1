import type { NewApiKey } from '@carabiner/sdk'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useCopy } from '../../ui/copy-button.tsx'
import { Checkbox } from '../../ui/forms/checkbox.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

/** Shows a new key once. It closes only after the person has stated that it is stored. */
export const NewKeyDialog = ({ apiKey, onClose }: { apiKey: NewApiKey; onClose: () => void }) => {
  const [isStored, setStored] = useState(false)
  const { isCopied, copy } = useCopy()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      mustAnswer
      width="md"
      title={`Copy the new key of ${apiKey.name}`}
      description="This is the only time it is shown. Store it where your backend reads its secrets."
    >
      <div className="grid gap-3 rounded-popup border border-line bg-ground p-3.5">
        <code className="font-mono text-sm break-all select-all">{apiKey.key}</code>
        <Button className="justify-self-start" onClick={() => copy(apiKey.key)}>
          {isCopied ? 'Copied' : 'Copy the key'}
        </Button>
      </div>
      <Checkbox isChecked={isStored} onChange={setStored}>
        I have stored the key
      </Checkbox>
      <div className="flex justify-end max-md:*:flex-1">
        <Button kind="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

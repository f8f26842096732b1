import type { CreatedOrganization } from '@carabiner/contract'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { useCopy } from '../../../ui/copy-button.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'

/** Shows the keys of a new organization once. It closes only after the person has stated that they are stored. */
const NewKeysDialog = ({ created, onClose }: { created: CreatedOrganization; onClose: () => void }) => {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      mustAnswer
      width="md"
      title={`${created.name} is created`}
      description="This is the only time that its keys are shown. Pass them on over a safe channel, or create new ones later."
    >
      <Key label="Production key" text={created.production_key} />
      <Key label="Test key" text={created.test_key} />
      <Checkbox isChecked={isStored} onChange={setStored}>
        I have stored the keys
      </Checkbox>
      <div className="flex justify-end max-md:*:flex-1">
        <Button kind="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

const Key = ({ label, text }: { label: string; text: string }) => {
  const { isCopied, copy } = useCopy()
  return (
    <div className="grid gap-2.5 rounded-popup border border-line bg-ground p-3.5">
      <p className="text-xs font-medium text-muted">{label}</p>
      <code className="font-mono text-sm break-all select-all">{text}</code>
      <Button className="justify-self-start" onClick={() => copy(text)}>
        {isCopied ? 'Copied' : `Copy the ${label.toLowerCase()}`}
      </Button>
    </div>
  )
}

export default NewKeysDialog

import type { NewWebhookEndpoint } from '@carabiner/sdk'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useCopy } from '../../ui/copy-button.tsx'
import { Checkbox } from '../../ui/forms/checkbox.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

type Props = { endpoint: NewWebhookEndpoint; isRotated?: boolean; onClose: () => void }

/** Shows a new secret once. An Ed25519 endpoint has a public key instead, which can be read again. */
const SecretDialog = ({ endpoint, isRotated = false, onClose }: Props) => {
  const [isStored, setStored] = useState(false)
  const { isCopied, copy } = useCopy()
  const shown = endpoint.secret ?? endpoint.public_key ?? ''
  const isSecret = endpoint.secret !== null
  return (
    <Dialog
      isOpen
      onClose={onClose}
      mustAnswer
      width="md"
      title={isSecret ? 'Copy the signing secret' : 'Copy the public key'}
      description={
        <>
          {isSecret ? 'This is the only time it is shown. ' : ''}Your receiver verifies webhooks with it.
          {isRotated &&
            ' For 24 hours, webhooks have the signatures of the previous and of the new secret. Deploy the new one within this time.'}
        </>
      }
    >
      <div className="grid gap-3 rounded-popup border border-line bg-ground p-3.5">
        <code className="font-mono text-sm break-all select-all">{shown}</code>
        <Button className="justify-self-start" onClick={() => copy(shown)}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      <Checkbox isChecked={isStored} onChange={setStored}>
        I have stored it
      </Checkbox>
      <div className="flex justify-end max-md:*:flex-1">
        <Button kind="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

export default SecretDialog

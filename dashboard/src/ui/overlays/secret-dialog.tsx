import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { useCopy } from '../copy-button.tsx'
import { Checkbox } from '../forms/checkbox.tsx'
import { Dialog } from './dialog.tsx'
import { DialogActions } from './dialog-actions.tsx'

type Props = {
  title: string
  description: ReactNode
  /** "I have stored the key" */
  confirmation: string
  width?: 'sm' | 'md'
  onClose: () => void
  /** One or more `ShownOnce`. */
  children: ReactNode
}

/** Shows secrets that cannot be shown again. It closes only after the person has stated that they are stored. */
export const SecretDialog = ({
  title,
  description,
  confirmation,
  width = 'md',
  onClose,
  children,
}: Props) => {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog isOpen onClose={onClose} mustAnswer width={width} title={title} description={description}>
      {children}
      <Checkbox isChecked={isStored} onChange={setStored}>
        {confirmation}
      </Checkbox>
      <DialogActions>
        <Button kind="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type ShownOnceProps = {
  text: string
  /** "Copy the key" */
  action: string
  label?: string
  /** Default: the text. */
  children?: ReactNode
}

export const ShownOnce = ({ text, action, label, children }: ShownOnceProps) => {
  const { isCopied, copy } = useCopy()
  return (
    <div className="grid gap-3 rounded-popup border border-line bg-ground p-3.5">
      {label && <p className="text-xs font-medium text-muted">{label}</p>}
      {children ?? <code className="font-mono text-sm break-all select-all">{text}</code>}
      <Button className="justify-self-start" onClick={() => copy(text)}>
        {isCopied ? 'Copied' : action}
      </Button>
    </div>
  )
}

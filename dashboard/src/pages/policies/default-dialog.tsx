import type { PolicyEffect } from '@carabiner/contract'
import { useState } from 'react'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { DEFAULT_OPTIONS, isLoosening } from './default-words.ts'
import { SaveError } from './save-error.tsx'
import { useSetDefault } from './use-policies.ts'

type Props = { pack: string | undefined; current: PolicyEffect; onClose: () => void }

const DefaultDialog = ({ pack, current, onClose }: Props) => {
  const [effect, setEffect] = useState(current)
  const save = useSetDefault(pack, () => {
    onClose()
    toast({ title: 'Default changed', description: 'It applies from the next call.' })
  })
  return (
    <FormDialog
      title="Change the default"
      description={
        pack === undefined
          ? 'For calls of the organization that no rule matches.'
          : 'For calls through this Tool Pack that none of its rules matches.'
      }
      action="Change default"
      onClose={onClose}
      onSubmit={() => save.mutate(effect)}
      isIncomplete={effect === current}
      request={{ isPending: save.isPending, error: null }}
    >
      <SelectField label="Default" value={effect} options={DEFAULT_OPTIONS} onChange={setEffect} />
      {isLoosening(effect, current) && (
        <p className="text-sm text-muted">
          This lets more calls run, so you must have signed in within the last ten minutes.
        </p>
      )}
      {save.error && <SaveError error={save.error} />}
    </FormDialog>
  )
}

export default DefaultDialog

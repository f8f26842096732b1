import type { Policy } from '@carabiner/sdk'
import { useState } from 'react'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { SaveError } from './save-error.tsx'
import type { PolicySetting } from './settings.ts'
import { useSetPolicy } from './use-policies.ts'

type Props<Value extends string> = {
  pack: string | undefined
  policy: Policy
  setting: PolicySetting<Value>
  current: Value
  onClose: () => void
}

const SettingDialog = <Value extends string>({ pack, policy, setting, current, onClose }: Props<Value>) => {
  const [next, setNext] = useState(current)
  const save = useSetPolicy(pack, () => {
    onClose()
    toast({ title: setting.done, description: 'It applies from the next call.' })
  })
  return (
    <FormDialog
      title={setting.title}
      description={setting.note(pack !== undefined)}
      action={setting.action}
      onClose={onClose}
      onSubmit={() => save.mutate(setting.write(next, { default: policy.default }))}
      isIncomplete={next === current}
      request={{ isPending: save.isPending, error: null }}
    >
      <SelectField label={setting.label} value={next} options={setting.options} onChange={setNext} />
      {setting.isLoosening(next, current) && (
        <p className="text-sm text-muted">
          This lets more calls run, so you must have signed in within the last ten minutes.
        </p>
      )}
      {save.error && <SaveError error={save.error} />}
    </FormDialog>
  )
}

export default SettingDialog

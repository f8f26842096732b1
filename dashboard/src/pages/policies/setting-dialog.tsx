import type { Policy } from '@carabiner/sdk'
import { useState } from 'react'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { SaveError } from './save-error.tsx'
import { BINDING_SETTING, DEFAULT_SETTING, type PolicySetting } from './settings.ts'
import { useSetPolicy } from './use-policies.ts'

type Props = { pack: string | undefined; policy: Policy; onClose: () => void }

const SettingDialog = ({ name, ...props }: Props & { name: 'default' | 'binding' }) => {
  const { default: effect, approval_binding: binding } = props.policy
  if (name === 'default') return <ChangeDialog {...props} setting={DEFAULT_SETTING} current={effect} />
  return binding && <ChangeDialog {...props} setting={BINDING_SETTING} current={binding} />
}

type ChangeProps<Value extends string> = Props & { setting: PolicySetting<Value>; current: Value }

const ChangeDialog = <Value extends string>({
  pack,
  policy,
  setting,
  current,
  onClose,
}: ChangeProps<Value>) => {
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

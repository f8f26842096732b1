import { guardedGroups, KEY_GROUPS, type KeyGroup, keyGroups } from '@carabiner/contract/key-groups'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'

type Props = { value: readonly KeyGroup[]; onChange: (groups: readonly KeyGroup[]) => void }

export const GroupChoice = ({ value, onChange }: Props) => {
  const toggle = (group: KeyGroup, isOn: boolean): void =>
    onChange(keyGroups.filter(each => (each === group ? isOn : value.includes(each))))
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">Groups</legend>
      <div className="grid gap-2.5 rounded-popup border border-line p-3.5">
        {keyGroups.map(group => (
          <Checkbox key={group} isChecked={value.includes(group)} onChange={isOn => toggle(group, isOn)}>
            <span className="grid">
              {KEY_GROUPS[group].label}
              <span className="text-xs text-muted">
                {KEY_GROUPS[group].text}
                {guardedGroups.includes(group) && ' Needs a recent sign-in.'}
              </span>
            </span>
          </Checkbox>
        ))}
      </div>
      <p className="mt-2 text-xs text-muted">A restricted key cannot create or change API keys.</p>
    </fieldset>
  )
}

import { eventTypes } from '@carabiner/contract'
import type { WebhookEndpoint } from '@carabiner/sdk'
import { Checkbox } from '../../ui/forms/checkbox.tsx'

type Types = WebhookEndpoint['event_types']

const GROUPS = [...Map.groupBy(eventTypes, type => type.split('.')[0] as string)]

/** Null means all types, including those of later versions. */
export const EventTypeChoice = ({ value, onChange }: { value: Types; onChange: (types: Types) => void }) => {
  const chosen = new Set<string>(value ?? [])
  const toggle = (type: (typeof eventTypes)[number], isOn: boolean): void =>
    onChange(eventTypes.filter(each => (each === type ? isOn : chosen.has(each))))
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 text-sm font-medium">Events</legend>
      <Checkbox isChecked={value === null} onChange={isAll => onChange(isAll ? null : [])}>
        All events, including types added later
      </Checkbox>
      {value !== null && (
        <div className="grid max-h-72 gap-4 overflow-y-auto rounded-popup border border-line p-3.5 sm:grid-cols-2">
          {GROUPS.map(([group, types]) => (
            <div key={group} className="grid content-start gap-1.5">
              <p className="text-xs text-muted">{group}</p>
              {types.map(type => (
                <Checkbox key={type} isChecked={chosen.has(type)} onChange={isOn => toggle(type, isOn)}>
                  <code className="font-mono text-xs">{type}</code>
                </Checkbox>
              ))}
            </div>
          ))}
        </div>
      )}
    </fieldset>
  )
}

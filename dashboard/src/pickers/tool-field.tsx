import { useId } from 'react'
import { usePackTools } from '../api/use-tool-packs.ts'
import { Field } from '../ui/forms/field.tsx'
import { Input } from '../ui/forms/input.tsx'

type Props = { packId: string | undefined; value: string; onChange: (tool: string) => void }

/** The name of a tool. The tools of the pack are offered; others can be typed, because Explain answers for them too. */
export const ToolField = ({ packId, value, onChange }: Props) => {
  const listId = useId()
  const { data } = usePackTools(packId)
  return (
    <Field label="Tool" hint="The name from tools/list, for example slack__send_message.">
      <Input
        list={listId}
        required
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {data?.data.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </datalist>
    </Field>
  )
}

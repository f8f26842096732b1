import { useToolPacks } from '../api/use-tool-packs.ts'
import { Field } from '../ui/forms/field.tsx'
import { Select } from '../ui/forms/select.tsx'

/** Chooses a Tool Pack. Without a value it is the default pack. */
export const PackField = ({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (id: string) => void
}) => {
  const { data = [] } = useToolPacks()
  const chosen = useChosenPack(value)
  return (
    <Field label="Tool Pack">
      <Select
        value={chosen?.id ?? ''}
        onChange={onChange}
        options={data.map(({ id, name, is_default }) => ({
          value: id,
          label: name,
          ...(is_default && { hint: 'Default' }),
        }))}
      />
    </Field>
  )
}

/** The pack of the URL, or the default pack. */
export const useChosenPack = (value: string | undefined) => {
  const { data } = useToolPacks()
  return data?.find(({ id, is_default }) => (value === undefined ? is_default : id === value))
}

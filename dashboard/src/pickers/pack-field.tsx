import { useToolPacks } from '../api/use-tool-packs.ts'
import { SelectField } from '../ui/forms/select-field.tsx'

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
    <SelectField
      label="Tool Pack"
      value={chosen?.id ?? ''}
      onChange={onChange}
      options={data.map(({ id, name, is_default }) => ({
        value: id,
        label: name,
        ...(is_default && { hint: 'Default' }),
      }))}
    />
  )
}

/** The pack of the URL, or the default pack. */
export const useChosenPack = (value: string | undefined) => {
  const { data } = useToolPacks()
  return data?.find(({ id, is_default }) => (value === undefined ? is_default : id === value))
}

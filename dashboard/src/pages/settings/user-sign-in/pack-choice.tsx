import { useToolPacks } from '../../../api/use-tool-packs.ts'
import { PackList } from '../../../pickers/pack-list.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'

type Props = {
  /** Null: all packs. */
  value: string[] | null
  onChange: (ids: string[] | null) => void
  error: string | undefined
  isDisabled: boolean
}

/** The Tool Packs whose address allows sign-in. */
export const PackChoice = ({ value, onChange, error, isDisabled }: Props) => {
  const { data: packs = [] } = useToolPacks()
  return (
    <div className="grid gap-3">
      <Switch
        label="All Tool Packs allow sign-in"
        hint="Including packs created later. When off, only the packs you choose."
        isOn={value === null}
        isDisabled={isDisabled}
        onChange={isOn => onChange(isOn ? null : packs.map(({ id }) => id))}
      />
      {value && (
        <PackList
          label="Tool Packs that allow sign-in"
          value={value}
          onChange={onChange}
          isDisabled={isDisabled}
        />
      )}
      {error && (
        <p role="alert" className="text-xs font-medium text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

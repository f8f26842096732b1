import { useId } from 'react'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'

const SUGGESTIONS = [
  ['sub', 'The person’s ID at the provider'],
  ['email', 'Email address'],
  ['oid', 'Entra ID: object ID'],
  ['preferred_username', 'Sign-in name'],
  ['upn', 'Entra ID and AD FS: user principal name'],
] as const

type Props = { value: string; onChange: (claim: string) => void; error: string | undefined }

/** Common claims are offered; any other can be typed. */
export const ClaimField = ({ value, onChange, error }: Props) => {
  const listId = useId()
  return (
    <Field
      label="Claim that identifies the user"
      hint="Its value must be the user’s ID in your application (origin_user_id). Choose a claim that people cannot change themselves."
      error={error}
    >
      <Input
        required
        list={listId}
        maxLength={200}
        value={value}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {SUGGESTIONS.map(([claim, meaning]) => (
          <option key={claim} value={claim}>
            {meaning}
          </option>
        ))}
      </datalist>
    </Field>
  )
}

import { type FormEvent, useMemo } from 'react'
import { setName } from '../../../api/account.ts'
import { useDraft } from '../../../drafts/use-draft.ts'
import { useSession } from '../../../shell/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { SaveBar } from '../../../ui/forms/save-bar.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useAccountChange } from './use-account.ts'

export const ProfileCard = () => {
  const { person } = useSession()
  const {
    values: { name },
    count,
    change,
    discard,
    settle,
  } = useDraft(
    'profile',
    useMemo(() => ({ name: person.name }), [person.name]),
  )
  const save = useAccountChange(
    (typed: string) => setName(typed.trim()),
    (_saved, typed) => {
      settle({ name: typed })
      toast({ title: 'Name saved' })
    },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate(name)
  }
  return (
    <Card title="Profile">
      <form className="grid max-w-md gap-4" onSubmit={submit}>
        <TextField
          label="Name"
          hint="Other members see it in the team list and the audit trail."
          required
          maxLength={120}
          value={name}
          onChange={typed => change({ name: typed })}
          autoComplete="name"
        />
        <Field label="Email" hint="Your sign-in address. An operator of the installation can change it.">
          <Input value={person.email} disabled />
        </Field>
        <SaveBar
          changes={count}
          onDiscard={discard}
          isBusy={save.isPending}
          isDisabled={name.trim() === ''}
          error={save.error}
        />
      </form>
    </Card>
  )
}

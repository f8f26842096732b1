import { type FormEvent, useState } from 'react'
import { setName } from '../../../api/account.ts'
import { useSession } from '../../../shell/use-session.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { useAccountChange } from './use-account.ts'

export const ProfileCard = () => {
  const { person } = useSession()
  const [name, setTyped] = useState(person.name)
  const save = useAccountChange(setName, () => toast({ title: 'Name saved' }))
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate(name.trim())
  }
  return (
    <Card title="Profile">
      <form className="grid max-w-md gap-4" onSubmit={submit}>
        <Field label="Name" hint="Other members see it in the team and in the audit trail.">
          <Input
            required
            maxLength={120}
            value={name}
            onChange={event => setTyped(event.target.value)}
            autoComplete="name"
          />
        </Field>
        <Field label="E-mail" hint="You sign in with it. An operator of the installation can change it.">
          <Input value={person.email} disabled />
        </Field>
        {save.error && <ErrorNote error={save.error} />}
        <Button
          type="submit"
          className="justify-self-start"
          isBusy={save.isPending}
          disabled={name.trim() === '' || name.trim() === person.name}
        >
          Save
        </Button>
      </form>
    </Card>
  )
}

import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'

export const AddOrigin = () => {
  const [origin, setOrigin] = useState('')
  const add = useApiMutation((api, added: string) => api.callbackOrigins.add(added), {
    invalidates: [['callback-origins']],
    onSuccess: () => setOrigin(''),
    mode: 'production',
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (origin.trim() !== '') add.mutate(origin.trim())
  }
  return (
    <Card>
      <form className="grid gap-3" onSubmit={submit}>
        <Field
          label="Origin"
          hint="https://host, http://localhost:port for development, or scheme:// for an app. No paths or wildcards."
        >
          <div className="flex flex-wrap gap-2">
            <Input
              value={origin}
              maxLength={512}
              onChange={event => setOrigin(event.target.value)}
              placeholder="https://app.example.com"
              autoComplete="off"
              spellCheck={false}
              className="min-w-56 flex-1"
            />
            <Button type="submit" kind="primary" isBusy={add.isPending} disabled={origin.trim() === ''}>
              Allow origin
            </Button>
          </div>
        </Field>
        {add.error && <ErrorNote error={add.error} />}
      </form>
    </Card>
  )
}

import { CarabinerError } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { signIn } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { useBrowserFact } from './use-browser-fact.ts'

type Props = { email?: string; onSignedIn: () => Promise<void>; onSecondFactor: () => void }

/**
 * Email and password. The page and the dialog after an expired session use it. The inputs are uncontrolled, so that text typed
 * into the prerendered page is kept.
 */
export const SignInForm = ({ email: known, onSignedIn, onSecondFactor }: Props) => {
  const attempt = useMutation({
    mutationFn: async (form: FormData) => {
      const { needsSecondFactor } = await signIn(textOf(form, 'email').trim(), textOf(form, 'password'))
      if (needsSecondFactor) onSecondFactor()
      else await onSignedIn()
    },
  })
  const isWrong = attempt.error instanceof CarabinerError && [400, 401].includes(attempt.error.status)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (!attempt.isPending) attempt.mutate(new FormData(event.currentTarget))
  }
  const isHydrated = useIsHydrated()
  return (
    <form method="post" className="grid gap-4" onSubmit={submit}>
      <Field label="Email">
        <Input
          type="email"
          name="email"
          autoComplete="username"
          required
          readOnly={known !== undefined}
          defaultValue={known}
        />
      </Field>
      <Field label="Password" error={isWrong ? 'Wrong email or password.' : undefined}>
        <Input
          type="password"
          name="password"
          autoComplete="current-password"
          required
          autoFocus={known !== undefined}
        />
      </Field>
      {attempt.error && !isWrong && <ErrorNote error={attempt.error} />}
      <Button type={isHydrated ? 'submit' : 'button'} kind="primary" isBusy={attempt.isPending}>
        Sign in
      </Button>
    </form>
  )
}

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** Without a submit button, the browser does not send the form itself before the script handles it. */
const useIsHydrated = (): boolean => useBrowserFact(isTrue, false)
const isTrue = (): boolean => true

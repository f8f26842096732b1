import { useMutation, useQuery } from '@tanstack/react-query'
import {
  canUsePasskeys,
  fetchSignInOptions,
  signInWithPasskey,
  startSingleSignOn,
} from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { useBrowserFact } from './use-browser-fact.ts'

/** Passkey, single sign-on and, in development, the demo organization. */
export const OtherWays = ({ next, onSignedIn }: { next: string; onSignedIn: () => Promise<void> }) => {
  const { data: options } = useQuery({ queryKey: ['sign-in-options'], queryFn: fetchSignInOptions })
  const passkey = useMutation({ mutationFn: () => signInWithPasskey().then(onSignedIn) })
  const single = useMutation({ mutationFn: () => startSingleSignOn(next) })
  const hasPasskeys = useCanUsePasskeys()
  const error = passkey.error ?? single.error
  return (
    <div className="grid gap-2.5 border-t border-line pt-5">
      {options?.single_sign_on && (
        <Button isBusy={single.isPending} onClick={() => single.mutate()}>
          Continue with {options.single_sign_on.name}
        </Button>
      )}
      {hasPasskeys && (
        <Button isBusy={passkey.isPending} onClick={() => passkey.mutate()}>
          Use a passkey
        </Button>
      )}
      {options?.development && (
        <form method="post" action="/demo/sign-in" className="grid">
          <Button type="submit">Open the demo organization</Button>
        </form>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  )
}

/** Nearly all browsers can. */
const useCanUsePasskeys = (): boolean => useBrowserFact(canUsePasskeys, true)

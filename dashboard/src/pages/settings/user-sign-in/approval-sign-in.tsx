import type { SignIn } from '@carabiner/sdk'
import { sessionGate } from '../../../api/session-gate.ts'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { Button } from '../../../ui/button.tsx'
import { Revealed } from '../../../ui/data/revealed.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { bodyOf, draftOf } from './user-sign-in-draft.ts'

/** Says that the provider does not count for approvals, because it was saved by a key or without a recent sign-in. */
export const ApprovalSignIn = ({ saved, mayManage }: { saved: SignIn; mayManage: boolean }) => {
  const { identity_provider: provider, for_approvals: isForApprovals } = saved
  const save = useApiMutation(
    async (api): Promise<SignIn> => {
      // What this person has seen, and not what is stored meanwhile.
      const body = bodyOf({ ...draftOf(saved), clientSecret: '' })
      const replaced = await api.signIn.replace(body)
      if (replaced.for_approvals) return replaced
      // Only the answer says that the sign-in is too old: saving needs none.
      return sessionGate.waitForSignIn('old').then(
        () => api.signIn.replace(body),
        () => replaced,
      )
    },
    {
      invalidates: [['user-sign-in']],
      onSuccess: replaced => {
        if (replaced.for_approvals) toast({ title: 'Users can sign in for approvals' })
      },
    },
  )
  if (provider === null || isForApprovals) return null
  return (
    <section
      aria-label="Approvals"
      className="flex flex-wrap items-center justify-between gap-x-5 gap-y-3 rounded-card bg-warn-soft px-4.5 py-3.5 text-sm text-warn md:px-5"
    >
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        <p className="font-medium">Users cannot sign in for approvals</p>
        <p>
          The provider was saved with an API key, or without a recent sign-in.{' '}
          {mayManage
            ? 'Check that your users sign in at'
            : 'An administrator must save it again if your users sign in at'}{' '}
          <span className="font-medium wrap-anywhere">
            <Revealed text={provider.issuer} />
          </span>
          {mayManage ? ', then save it again.' : '.'}
        </p>
        {save.error && <ErrorNote error={save.error} />}
      </div>
      {mayManage && (
        <Button isBusy={save.isPending} onClick={() => save.mutate(undefined)}>
          Save provider again
        </Button>
      )}
    </section>
  )
}

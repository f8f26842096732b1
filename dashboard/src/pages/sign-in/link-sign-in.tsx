import { CarabinerError } from '@carabiner/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { describeSignInLink, redeemSignInLink, type SignInLinkDetails } from '../../api/sign-in.ts'
import { ROLE_LABELS } from '../../role-labels.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { enter } from './enter.ts'
import { SignInFrame } from './sign-in-frame.tsx'

/** A one-time link: who invites to what, and a click that uses it. */
export const LinkSignIn = ({ token }: { token: string }) => {
  const details = useQuery({
    queryKey: ['sign-in-link'],
    queryFn: () => describeSignInLink(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const attempt = useMutation({
    mutationFn: async () => {
      await redeemSignInLink(token)
      await enter('/dashboard')
    },
  })
  const error = attempt.error ?? details.error
  const isAsUsual =
    details.error !== null ||
    (attempt.error instanceof CarabinerError && attempt.error.code === 'account_exists')
  return (
    <SignInFrame {...textsOf(details.data)}>
      {details.isPending && <SkeletonRows label="Loading the link" rows={1} isInCard={false} />}
      {error && <ErrorNote error={error} />}
      {isAsUsual ? (
        <Button kind="primary" onClick={() => void enter('/dashboard/sign-in')}>
          Sign in as usual
        </Button>
      ) : (
        details.data && (
          <Button kind="primary" isBusy={attempt.isPending} onClick={() => attempt.mutate()}>
            {attempt.isPending ? 'Signing in…' : 'Continue to the dashboard'}
          </Button>
        )
      )}
    </SignInFrame>
  )
}

const textsOf = (details: SignInLinkDetails | undefined): { title: string; note?: string } => {
  const title = 'Sign in with this link'
  if (!details) return { title }
  const { organization, issued_by: issuedBy } = details
  if (!organization) return { title, note: 'The link works once.' }
  const { name, role, invites } = organization
  const who = issuedBy ?? 'An administrator'
  return invites
    ? {
        title: `Join ${name}`,
        note: `${who} invited you to ${name} as ${ROLE_LABELS[role]}. The link works once.`,
      }
    : { title: `Sign in to ${name}`, note: `${who} created this sign-in link for you. It works once.` }
}

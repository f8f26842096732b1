import { type ApproverType, approverTypes } from '@carabiner/contract/approval-bounds'
import { useScope } from '../../api/use-api.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { Checkbox } from '../../ui/forms/checkbox.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import type { RuleDraft } from './rule-draft.ts'
import { APPROVERS } from './rule-words.ts'

/** What only members can fulfill. */
type OfMembers = Pick<RuleDraft, 'step_up' | 'prevent_self_approval'>
type Props = {
  value: readonly ApproverType[]
  forMembers: OfMembers
  onChange: (changed: { approvers?: ApproverType[] } & Partial<OfMembers>) => void
  isDisabled: boolean
}

const ORDER: readonly ApproverType[] = ['members', 'user', 'account_owner']

/** Who can approve a call that the rule asks about. */
export const ApproverChoice = ({ value, forMembers, onChange, isDisabled }: Props) => (
  <fieldset className="grid gap-2">
    <legend className="mb-2 text-sm font-medium">Who can approve</legend>
    {ORDER.map(type => (
      <Checkbox
        key={type}
        isChecked={value.includes(type)}
        isDisabled={isDisabled}
        onChange={isChecked => {
          const approvers = approverTypes.filter(each => (each === type ? isChecked : value.includes(each)))
          onChange({
            approvers,
            ...(!areMembersOnly(approvers) && turnedOff(forMembers)),
          })
        }}
      >
        {APPROVERS[type].label}
        <span className="block text-xs text-muted">{APPROVERS[type].hint}</span>
      </Checkbox>
    ))}
    <p className="text-xs text-muted">
      {value.length > 1 ? 'One of them is enough.' : 'If you choose several, one of them is enough.'}
    </p>
    {value.length === 0 && (
      <p role="alert" className="text-xs font-medium text-bad">
        Choose who can approve.
      </p>
    )}
    {areMembersOnly(value) && (
      <>
        <Checkbox
          isChecked={forMembers.step_up}
          isDisabled={isDisabled}
          onChange={isChecked => onChange({ step_up: isChecked })}
        >
          With a passkey
          <span className="block text-xs text-muted">
            The member signs the call with a passkey, which leaves a receipt
          </span>
        </Checkbox>
        <Checkbox
          isChecked={forMembers.prevent_self_approval}
          isDisabled={isDisabled}
          onChange={isChecked => onChange({ prevent_self_approval: isChecked })}
        >
          Not the user
          <span className="block text-xs text-muted">
            A member with the email address of the user cannot approve
          </span>
        </Checkbox>
      </>
    )}
    {(value.includes('user') || value.includes('account_owner')) && <UserSignInNote />}
  </fieldset>
)

/** Only what is on: whatever else is set would count as a change. */
const turnedOff = ({ step_up, prevent_self_approval }: OfMembers): Partial<OfMembers> => ({
  ...(step_up && { step_up: false }),
  ...(prevent_self_approval && { prevent_self_approval: false }),
})

const areMembersOnly = (approvers: readonly ApproverType[]): boolean => approvers.join() === 'members'

/** How users decide, if they cannot sign in for it. */
const UserSignInNote = () => {
  const { mode } = useScope()
  const { data } = useApiQuery(['user-sign-in'], (api, options) => api.signIn.get(options))
  if (!data || data.for_approvals) return null
  const settings = (
    <PageLink path="/settings/user-sign-in" className="underline">
      User sign-in
    </PageLink>
  )
  return (
    <p className="rounded-control bg-warn-soft px-3 py-2.5 text-sm text-warn">
      {data.identity_provider === null ? (
        <>
          Users cannot sign in for approvals in {mode} mode, because no identity provider is set in {settings}
          . They decide only on pages that your application opens.
        </>
      ) : (
        <>
          Users cannot sign in for approvals in {mode} mode: an API key has set the identity provider. A
          member must save it again in {settings}. Until then, users decide only on pages that your
          application opens.
        </>
      )}
    </p>
  )
}

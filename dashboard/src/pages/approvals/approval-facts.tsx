import type { Approval } from '@carabiner/sdk'
import type { ReactNode } from 'react'
import { useToolPacks } from '../../api/use-tool-packs.ts'
import { Copyable } from '../../ui/data/copyable.tsx'
import { Details } from '../../ui/data/details.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Revealed } from '../../ui/data/revealed.tsx'
import { UserLink } from '../../ui/data/user-link.tsx'
import { CallerName } from './caller-name.tsx'

type Props = {
  approval: Approval
  /** The call is shown, with its user, account and caller. */
  isBelowCall?: boolean
}

/** What everybody in the organization sees of an approval. */
export const ApprovalFacts = ({ approval, isBelowCall = false }: Props) => (
  <Details
    entries={[
      [
        'Tool',
        <code key="tool" className="font-mono text-xs">
          {approval.connector_slug}__{approval.tool}
        </code>,
      ],
      ...(isBelowCall ? [] : whoOf(approval)),
      // A client chooses its own name.
      [
        'Client ID',
        approval.requested_by.type === 'client' ? (
          <Revealed key="client" text={approval.requested_by.id} />
        ) : null,
      ],
      ['Tool Pack', <PackName key="pack" id={approval.tool_pack_id} />],
      ['Requested', <RelativeTime key="requested" at={approval.requested_at} isAbsolute />],
      [
        approval.ended_at === null ? 'Expires' : 'Ended',
        <RelativeTime key="end" at={approval.ended_at ?? approval.expires_at} isAbsolute />,
      ],
      ['Approval ID', <Copyable key="id" text={approval.id} label="Copy the approval ID" />],
    ]}
  />
)

const whoOf = (approval: Approval): [name: string, value: ReactNode][] => [
  [
    'User',
    <bdi key="user">
      <UserLink id={approval.registered_user_id} />
    </bdi>,
  ],
  ['Account', approval.account_label && <Revealed key="label" text={approval.account_label} />],
  ['Caller', <CallerName key="caller" approval={approval} />],
]

const PackName = ({ id }: { id: string }) => {
  const { data: packs = [] } = useToolPacks()
  return <Revealed text={packs.find(pack => pack.id === id)?.name ?? id.slice(0, 8)} />
}

import type { Credential } from '@carabiner/sdk'
import type { AccountOwner } from './account-owner.ts'
import { AccountRow } from './account-row.tsx'

type Props = { label: string; accounts: readonly Credential[]; owner: AccountOwner }

/** Linked accounts with what can be done with each. */
export const AccountList = ({ label, accounts, owner }: Props) => (
  <ul aria-label={label} className="divide-y divide-line">
    {accounts.map(account => (
      <AccountRow
        key={account.credential_id}
        account={account}
        owner={owner}
        isOneOfSeveral={isOneOfSeveral(account, accounts)}
      />
    ))}
  </ul>
)

const isOneOfSeveral = ({ connector_slug: slug }: Credential, all: readonly Credential[]): boolean =>
  all.filter(other => other.connector_slug === slug && other.status !== 'revoked').length > 1

import type { Credential } from '../api/sdk.ts'
import type { CliContext } from '../program/cli-context.ts'
import { momentOf, printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

const statusOf = ({ status, paused_until, status_reason }: Credential): string =>
  paused_until
    ? `paused until ${momentOf(paused_until)}`
    : status_reason
      ? `${status} (${status_reason})`
      : status

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Null: only the owner may use the account. */
const sharedWith = ({ shared_with }: Credential): string | null => {
  const { everyone, registered_user_ids, tool_pack_ids } = shared_with
  return (
    [
      ...(everyone ? ['everyone'] : []),
      ...(registered_user_ids.length > 0 ? [count(registered_user_ids.length, 'user')] : []),
      ...(tool_pack_ids.length > 0 ? [count(tool_pack_ids.length, 'Tool Pack')] : []),
    ].join(', ') || null
  )
}

/** The table fits a terminal of 80 columns in the usual case, which is why the access lists are not always a column. */
export const describeCredentials = ({ screen }: CliContext, credentials: readonly Credential[]): string =>
  table(
    credentials,
    [
      { title: 'ID', value: each => each.credential_id },
      { title: 'CONNECTOR', value: each => each.connector_slug },
      { title: 'LABEL', value: each => each.label, shrinks: true },
      { title: 'ACCOUNT', value: each => each.account, shrinks: true },
      { title: 'STATUS', value: statusOf },
      ...(credentials.some(each => sharedWith(each) !== null)
        ? [{ title: 'SHARED WITH', value: sharedWith, shrinks: true }]
        : []),
    ],
    screen,
  )

/** For questions and messages. */
export const nameOf = ({ connector_slug, label, credential_id }: Credential): string =>
  printable(`${connector_slug} (${label}) ${credential_id}`)

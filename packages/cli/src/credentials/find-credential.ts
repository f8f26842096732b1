import { findUser, isUuid } from '../api/find-user.ts'
import type { Client, Credential } from '../api/sdk.ts'
import { CommandError } from '../terminal/output.ts'

export const CREDENTIAL = 'ID of the credential, the slug of its connector, or its label'

/** The owner of accounts, as messages name it, and the command that lists the accounts. */
export type AccountOwner = { name: string; listCommand: string }

export const USER_OWNER: AccountOwner = { name: 'The user', listCommand: 'carabiner credentials list' }

/** A credential by its ID, or by a connector or label that only one account has. Revoked ones are kept as a history. */
export const pickCredential = (
  credentials: readonly Credential[],
  given: string,
  { name, listCommand }: AccountOwner,
): Credential => {
  const usable = credentials.filter(each => each.status !== 'revoked')
  const ofConnector = usable.filter(each => each.connector_slug === given)
  const found = isUuid(given)
    ? credentials.filter(each => each.credential_id === given.toLowerCase())
    : ofConnector.length > 0
      ? ofConnector
      : usable.filter(each => each.label === given)
  if (found.length > 1)
    throw new CommandError(
      `${name} has several accounts ${given}. Use the label or the ID of one. See \`${listCommand}\`.`,
    )
  if (found[0]) return found[0]
  throw new CommandError(
    `${name} has no credential ${given}. See \`${listCommand}\`.`,
    'credential_not_found',
  )
}

export const findCredential = async (client: Client, user: string, given: string): Promise<Credential> => {
  const { id } = await findUser(client, user)
  return pickCredential(await client.registeredUsers.credentials.list(id), given, USER_OWNER)
}

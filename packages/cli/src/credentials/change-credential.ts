import type { Client, Credential } from '../api/sdk.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import type { Output } from '../terminal/output.ts'
import { describeCredentials, nameOf } from './describe-credential.ts'

export const renameCredential = async (
  context: CliContext,
  client: Client,
  { registered_user_id, credential_id }: Credential,
  label: string,
): Promise<Output> => {
  const { update } = client.registeredUsers.credentials
  const data = await update(registered_user_id, credential_id, { label })
  return { text: describeCredentials(context, [data]), data }
}

export const deleteCredential = async (
  context: CliContext,
  client: Client,
  credential: Credential,
  confirmed: Confirmed,
): Promise<Output> => {
  await requireConfirmation(context, `Disconnect ${nameOf(credential)}?`, confirmed)
  const { registered_user_id, credential_id } = credential
  await client.registeredUsers.credentials.delete(registered_user_id, credential_id)
  return { text: `Disconnected ${nameOf(credential)}.`, data: { id: credential_id } }
}

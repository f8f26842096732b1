import { findPack } from '../api/find-pack.ts'
import { findUserId } from '../api/find-user.ts'
import type { Client, Credential } from '../api/sdk.ts'
import type { CliCommand } from '../program/cli-command.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import { collect } from '../program/option-values.ts'
import { type Output, UsageError } from '../terminal/output.ts'
import { details } from '../terminal/table.ts'
import { nameOf } from './describe-credential.ts'

export type AccessOptions = { user?: string[]; pack?: string[]; everyone?: boolean }

type Access = Credential['shared_with']

export const accessOptions = (command: CliCommand): CliCommand =>
  command
    .option('--user <user>', 'a Registered User: ID, your own ID, name or email; may be repeated', collect)
    .option('--pack <pack>', 'all users of a Tool Pack, by ID or name; may be repeated', collect)
    .option('--everyone', 'all users of the same mode')

const hasTargets = ({ user, pack, everyone }: AccessOptions): boolean =>
  user !== undefined || pack !== undefined || everyone === true

const findTargets = async (
  client: Client,
  { user = [], pack = [], everyone = false }: AccessOptions,
): Promise<Access> => ({
  everyone,
  registered_user_ids: await Promise.all(user.map(each => findUserId(client, each))),
  tool_pack_ids: (await Promise.all(pack.map(each => findPack(client, each)))).map(({ id }) => id),
})

const NOBODY: Access = { everyone: false, registered_user_ids: [], tool_pack_ids: [] }

const union = (access: Access, more: Access): Access => ({
  everyone: access.everyone || more.everyone,
  registered_user_ids: [...new Set([...access.registered_user_ids, ...more.registered_user_ids])],
  tool_pack_ids: [...new Set([...access.tool_pack_ids, ...more.tool_pack_ids])],
})

const difference = (access: Access, less: Access): Access => ({
  everyone: access.everyone && !less.everyone,
  registered_user_ids: access.registered_user_ids.filter(id => !less.registered_user_ids.includes(id)),
  tool_pack_ids: access.tool_pack_ids.filter(id => !less.tool_pack_ids.includes(id)),
})

/** Adds to the access list. The API replaces the list, so the current one is part of the request. */
export const shareCredential = async (
  context: CliContext,
  client: Client,
  credential: Credential,
  options: AccessOptions,
): Promise<Output> => {
  if (!hasTargets(options)) throw new UsageError('Use at least one of --user, --pack and --everyone.')
  const targets = await findTargets(client, options)
  return replaceAccess(context, client, credential, union(credential.shared_with, targets))
}

/** Removes from the access list; without targets, the whole list. */
export const unshareCredential = async (
  context: CliContext,
  client: Client,
  credential: Credential,
  options: AccessOptions & Confirmed,
): Promise<Output> => {
  if (hasTargets(options)) {
    const targets = await findTargets(client, options)
    return replaceAccess(context, client, credential, difference(credential.shared_with, targets))
  }
  const question = `Stop sharing ${nameOf(credential)}? Other users can no longer make calls with it.`
  await requireConfirmation(context, question, options)
  return replaceAccess(context, client, credential, NOBODY)
}

const replaceAccess = async (
  { screen }: CliContext,
  client: Client,
  { registered_user_id, credential_id }: Credential,
  access: Access,
): Promise<Output> => {
  const data = await client.registeredUsers.credentials.share(registered_user_id, credential_id, access)
  const { everyone, registered_user_ids, tool_pack_ids } = data.shared_with
  const isShared = everyone || registered_user_ids.length > 0 || tool_pack_ids.length > 0
  const fields = [
    ['Account', nameOf(data)],
    ['Everyone', everyone ? 'yes' : null],
    ['Users', registered_user_ids.join(', ') || null],
    ['Tool Packs', tool_pack_ids.join(', ') || null],
  ] as const
  return { text: isShared ? details(fields, screen) : `${nameOf(data)} is not shared.`, data }
}

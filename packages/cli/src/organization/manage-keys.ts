import type { KeyGroup } from '@carabiner/contract/key-groups'
import { withApi } from '../api/api-client.ts'
import type { ApiKey } from '../api/sdk.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import { CommandError, type Output } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

export const SHOWN_ONCE = 'The key is shown only once; only its hash is stored.'

export const listKeys = (context: CliContext): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const keys = await client.apiKeys.list()
    return {
      text: table(
        keys,
        [
          { title: 'ID', value: key => key.id },
          { title: 'MODE', value: key => key.mode },
          { title: 'KEY', value: key => key.hint },
          {
            title: 'NAME',
            value: key => (key.replaced_by === null ? key.name : `${key.name} (rolled)`),
            shrinks: true,
          },
          { title: 'GROUPS', value: key => key.groups?.join(',') ?? 'unrestricted' },
          { title: 'CREATED', value: key => momentOf(key.created_at) },
          { title: 'LAST USED', value: key => momentOf(key.last_used_at) },
          { title: 'EXPIRES', value: key => momentOf(key.expires_at) },
        ],
        context.screen,
      ),
      data: keys,
    }
  })

export type KeyOptions = { name?: string; mode: ApiKey['mode']; groups?: string[]; days?: number }

export const createKey = (context: CliContext, { name, mode, groups, days }: KeyOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const created = await client.apiKeys.create({
      mode,
      ...(name !== undefined && { name }),
      // The service validates the names of the groups.
      ...(groups && { groups: groups as KeyGroup[] }),
      ...(days !== undefined && { expires_in_days: days }),
    })
    const expiry = created.expires_at === null ? '' : ` It expires at ${momentOf(created.expires_at)}.`
    return { text: `${created.key}\n\n${SHOWN_ONCE}${expiry}`, data: created }
  })

export const revokeKey = (context: CliContext, id: string, confirmed: Confirmed): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const key = findKey(await client.apiKeys.list(), id)
    const question = `Revoke the ${key.mode} key ${key.hint}? It stops working immediately.`
    await requireConfirmation(context, question, confirmed)
    await client.apiKeys.revoke(key.id)
    return { text: `Revoked the key ${key.hint}.`, data: { id: key.id } }
  })

/** Ends the overlap of a rolled key. */
export const endKey = (context: CliContext, id: string, confirmed: Confirmed): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const key = findKey(await client.apiKeys.list(), id)
    const question = `End the rolled ${key.mode} key ${key.hint} now? Requests with it fail immediately.`
    await requireConfirmation(context, question, confirmed)
    await client.apiKeys.end(key.id)
    return { text: `Ended the key ${key.hint}. Its replacement works.`, data: { id: key.id } }
  })

/** The key with an ID. Default: the only production key that can be replaced. */
export const findKey = (keys: ApiKey[], id: string | undefined): ApiKey => {
  if (id === undefined) return findProductionKey(keys)
  const key = keys.find(each => each.id === id)
  if (!key)
    throw new CommandError(`There is no API key ${id}. See \`carabiner keys list\`.`, 'api_key_not_found')
  return key
}

const isExpired = ({ expires_at }: ApiKey): boolean =>
  expires_at !== null && Date.parse(expires_at) <= Date.now()

const findProductionKey = (keys: ApiKey[]): ApiKey => {
  const [key, ...others] = keys.filter(
    each => each.mode === 'production' && each.replaced_by === null && !isExpired(each),
  )
  if (!key) throw new CommandError('There is no production key.', 'api_key_not_found')
  if (others.length > 0)
    throw new CommandError(
      'There are several production keys. Specify one by its ID, as shown by `carabiner keys list`.',
      'several_keys',
    )
  return key
}

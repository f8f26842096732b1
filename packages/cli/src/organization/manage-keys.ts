import { withApi } from '../api/api-client.ts'
import type { ApiKey } from '../api/sdk.ts'
import { storeKey } from '../profiles/key-store.ts'
import { readProfiles, writeProfiles } from '../profiles/profile-store.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import { CommandError, type Output } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

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
          { title: 'NAME', value: key => key.name, shrinks: true },
          { title: 'CREATED', value: key => momentOf(key.created_at) },
          { title: 'LAST USED', value: key => momentOf(key.last_used_at) },
        ],
        context.screen,
      ),
      data: keys,
    }
  })

export const createKey = (context: CliContext, { name }: { name?: string }): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const created = await client.apiKeys.create(name === undefined ? {} : { name })
    return { text: `${created.key}\n\n${SHOWN_ONCE}`, data: created }
  })

const SHOWN_ONCE = 'The key is shown only once; only its hash is stored.'

/** The production key, or a key by its ID. If it is the key of the profile in use, the profile gets the new one. */
export const regenerateKey = (
  context: CliContext,
  id: string | undefined,
  confirmed: Confirmed,
): Promise<Output> =>
  withApi(context, async ({ client, access }) => {
    const key = findKey(await client.apiKeys.list(), id)
    await requireConfirmation(
      context,
      `Replace the ${key.mode} key ${key.hint}? It stops working at once.`,
      confirmed,
    )
    const created = await client.apiKeys.regenerate(key.id)
    const isOwn = access.profile !== null && isKeyOf(key, access.key)
    if (isOwn) await replaceStoredKey(context, access.profile as string, created.key)
    return {
      text: [
        created.key,
        '',
        `${SHOWN_ONCE} The previous key no longer works.`,
        ...(isOwn ? [`The profile "${access.profile}" uses the new key.`] : []),
      ].join('\n'),
      data: created,
    }
  })

/** A hint has the prefix and the last four characters. */
const isKeyOf = ({ hint }: ApiKey, key: string): boolean =>
  key.startsWith(hint.slice(0, hint.lastIndexOf('_') + 1)) && key.endsWith(hint.slice(-4))

const replaceStoredKey = async ({ environment }: CliContext, name: string, key: string): Promise<void> => {
  const stored = readProfiles(environment)
  const profile = stored.profiles[name]
  if (!profile) return
  const key_store = await storeKey(environment, name, key, { wantsFile: profile.key_store === 'file' })
  writeProfiles(environment, {
    ...stored,
    profiles: { ...stored.profiles, [name]: { ...profile, key_store, key_hint: key.slice(-4) } },
  })
}

const findKey = (keys: ApiKey[], id: string | undefined): ApiKey => {
  const key = keys.find(each => (id === undefined ? each.mode === 'production' : each.id === id))
  if (!key)
    throw new CommandError(`There is no API key ${id}. See \`carabiner keys list\`.`, 'api_key_not_found')
  return key
}

export const revokeKey = (context: CliContext, id: string, confirmed: Confirmed): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const key = findKey(await client.apiKeys.list(), id)
    await requireConfirmation(
      context,
      `Revoke the ${key.mode} key ${key.hint}? It stops working at once.`,
      confirmed,
    )
    await client.apiKeys.revoke(key.id)
    return { text: `Revoked the key ${key.hint}.`, data: { id: key.id } }
  })

import { type ApiClient, withApi } from '../api/api-client.ts'
import type { ApiKey } from '../api/sdk.ts'
import { storeKey } from '../profiles/key-store.ts'
import { readProfiles, writeProfiles } from '../profiles/profile-store.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import type { Output } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { findKey, SHOWN_ONCE } from './manage-keys.ts'

/** The old key stops working at once. Default: the only production key. */
export const regenerateKey = (
  context: CliContext,
  id: string | undefined,
  confirmed: Confirmed,
): Promise<Output> =>
  withApi(context, async api => {
    const key = findKey(await api.client.apiKeys.list(), id)
    const question = `Replace the ${key.mode} key ${key.hint}? It stops working immediately.`
    await requireConfirmation(context, question, confirmed)
    const created = await api.client.apiKeys.regenerate(key.id)
    const notes = [`${SHOWN_ONCE} The previous key no longer works.`]
    return { text: await showReplacement(context, api, key, { key: created.key, notes }), data: created }
  })

/** The old key works until the overlap ends. Default: the only production key. */
export const rollKey = (
  context: CliContext,
  id: string | undefined,
  { overlap }: { overlap: number },
): Promise<Output> =>
  withApi(context, async api => {
    const key = findKey(await api.client.apiKeys.list(), id)
    const created = await api.client.apiKeys.roll(key.id, { overlap_minutes: overlap })
    const notes = [
      SHOWN_ONCE,
      `The previous key works until ${momentOf(created.previous_key_expires_at)}. To end it earlier: carabiner keys end ${key.id}`,
    ]
    return { text: await showReplacement(context, api, key, { key: created.key, notes }), data: created }
  })

/** If the replaced key is the one of the profile in use, the profile gets the new one. */
const showReplacement = async (
  context: CliContext,
  { access }: ApiClient,
  replaced: ApiKey,
  { key, notes }: { key: string; notes: string[] },
): Promise<string> => {
  const lines = [key, '', ...notes]
  if (access.profile === null || !isKeyOf(replaced, access.key)) return lines.join('\n')
  await replaceStoredKey(context, access.profile, key)
  return [...lines, `The profile "${access.profile}" uses the new key.`].join('\n')
}

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

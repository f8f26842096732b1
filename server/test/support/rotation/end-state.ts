import { readFileSync } from 'node:fs'
import { HOUR } from '../../../src/core/duration.ts'
import { unsealSecret } from '../../../src/features/credentials/credential-secret.ts'
import { retireOrganizationKeys } from '../../../src/features/credentials/rotation/rotate-retire.ts'
import { createLog } from '../../../src/platform/log.ts'
import { fileKeyRing } from '../../../src/platform/vault/key-ring.ts'
import { openVault } from '../../../src/platform/vault/vault.ts'
import { moveClock } from '../databases.ts'
import type { RotationStage } from './stage.ts'

/** All keys by ID, from the vault key to the keys of users. */
export const keyIds = async ({ query, vault, organizationId }: RotationStage): Promise<Set<string>> => {
  const rows = await query<{ id: Buffer }>(
    `select sealing_key(wrapped) as id from service_secrets union select sealing_key(wrapped) from organization_keys
     union select sealing_key(sealed) from sealed_secrets`,
  )
  const own = await vault.organizationKeys(organizationId)
  return new Set([...rows.map(row => row.id), ...own.map(key => key.id)].map(id => id.toString('hex')))
}

export type EndState = {
  decrypted: number
  undecryptable: string[]
  vaultKeys: number
  generations: number[]
  /** IDs of previous keys that still protect data. */
  oldKeys: string[]
}

/** Reads the state one day later, with the current key file only. */
export const readEndState = async (stage: RotationStage, before: Set<string>): Promise<EndState> => {
  const { db, query, organizationId } = stage
  await moveClock(db, 26 * HOUR)
  const vault = await openVault(db, fileKeyRing(stage.fleet.keyFile, { production: false }))
  await retireOrganizationKeys({ db, vault, log: createLog('silent') })
  const { decrypted, undecryptable } = await decryptAll(stage, vault)
  const generations = await query<{ generation: number }>(
    'select generation from organization_keys where organization_id = $1',
    [organizationId],
  )
  return {
    decrypted,
    undecryptable,
    vaultKeys: readFileSync(stage.fleet.keyFile, 'utf8').trim().split('\n').length,
    generations: generations.map(row => row.generation),
    oldKeys: [...(await keyIds({ ...stage, vault }))].filter(id => before.has(id)),
  }
}

type Decrypted = Pick<EndState, 'decrypted' | 'undecryptable'>

const decryptAll = async (
  { query, organizationId }: RotationStage,
  vault: RotationStage['vault'],
): Promise<Decrypted> => {
  const rows = await query<{
    registered_user_id: string
    connector_slug: string
    secret_id: string
    sealed: Buffer
    data_key: Buffer
  }>(
    `select s.*, u.data_key from sealed_secrets s
     join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id`,
  )
  const undecryptable: string[] = []
  for (const row of rows) {
    const { registered_user_id: registeredUserId, connector_slug: connectorSlug, secret_id: secretId } = row
    try {
      const key = await vault.openUserKey(organizationId, registeredUserId, row.data_key)
      unsealSecret(key, { organizationId, registeredUserId, connectorSlug, secretId }, row.sealed)
    } catch (error) {
      undecryptable.push(`${registeredUserId} ${connectorSlug}: ${String(error)}`)
    }
  }
  return { decrypted: rows.length - undecryptable.length, undecryptable }
}

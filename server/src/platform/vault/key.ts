import { randomBytes } from 'node:crypto'
import { Secret } from '../../core/secret.ts'
import { type DataKey, exportDataKey, importDataKey, seal, unseal } from './sealing.ts'

/** A key that wraps other keys: a local one (below), or one in a key service (key-provider.ts). */
export type KeyEncryptionKey = {
  readonly id: Buffer
  wrap(key: DataKey, owner: string): Promise<Buffer>
  unwrap(wrapped: Buffer, owner: string): Promise<DataKey>
}

export class VaultKeyError extends Error {
  override name = 'VaultKeyError'
}

export type Strength = 'development' | 'production'
const FORMAT = /^carabiner-vault-key-v1:(development|production):([A-Za-z0-9_-]{64})$/

export const generateVaultKey = (strength: Strength): Secret =>
  new Secret(`carabiner-vault-key-v1:${strength}:${randomBytes(48).toString('base64url')}`)

export const parseVaultKey = (
  text: Secret,
  options: { production: boolean; source?: string },
): KeyEncryptionKey => {
  const named = options.source === undefined ? '' : ` in ${options.source}`
  const match = FORMAT.exec(text.reveal())
  if (!match?.[2])
    throw new VaultKeyError(
      `The vault key${named} is malformed: it was not created by \`npx --no-install carabiner vault-key create\`, or it is damaged.`,
    )
  if (options.production && match[1] === 'development') {
    throw new VaultKeyError(
      `The vault key${named} is for development. Create one for production with \`npx --no-install carabiner vault-key create\`.`,
    )
  }
  const kek = importDataKey(Buffer.from(match[2], 'base64url'))
  return {
    id: kek.id,
    wrap: async (key, owner) => seal(kek, exportDataKey(key), ['wrapped-key', owner]),
    unwrap: async (wrapped, owner) => importDataKey(unseal(kek, wrapped, ['wrapped-key', owner])),
  }
}

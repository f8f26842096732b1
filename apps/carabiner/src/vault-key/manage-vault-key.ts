import { type CliContext, CommandError, type Output } from '@carabiner/cli'
import {
  addVaultKey,
  type Config,
  type Database,
  dropOlderVaultKeys,
  lockVaultKey,
  openKeyRing,
  openVaultFor,
  type Progress,
  parseVaultKey,
  readConfig,
  rotateKeys,
  SERVICE_CHAIN,
  type Strength,
  type VaultKeySource,
  writeVaultKeyFile,
} from '@carabiner/server/operator'
import { recordCommand } from '../database/record-command.ts'
import { withMigrated } from '../database/with-database.ts'

type OperatorContext = Pick<CliContext, 'environment'>
type RotationContext = Pick<CliContext, 'environment' | 'report'>

const strengthOf = (config: Config): Strength => (config.development ? 'development' : 'production')

export const createVaultKey = ({ environment }: OperatorContext): Output => {
  const config = readConfig(environment)
  if (config.keyProvider)
    throw new CommandError('The vault key is in a key service (KEY_PROVIDER). Create a key there.')
  try {
    writeVaultKeyFile(config.keyFile, strengthOf(config))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CommandError(
        `${config.keyFile} already exists and was not replaced. Use \`carabiner vault-key rotate\` to switch to a new key.`,
      )
    throw error
  }
  return {
    text: `Created ${config.keyFile}. Keep a copy separate from the database: without it, no stored credential can be decrypted.`,
    data: { key_file: config.keyFile },
  }
}

/** For several machines: the file is copied to all of them before anything is wrapped under the new key. */
export const addNextVaultKey = ({ environment }: OperatorContext): Promise<Output> => {
  const config = readConfig(environment)
  return withMigrated(config, db => addKey(config, db))
}

export const rotateVaultKey = ({ environment, report }: RotationContext): Promise<Output> => {
  const config = readConfig(environment)
  return withMigrated(config, db => rotate(config, db, report))
}

const addKey = async (config: Config, db: Database): Promise<Output> => {
  if (config.keyProvider)
    throw new CommandError(
      'The vault key is in a key service (KEY_PROVIDER). Create a key there, let the provider list it first on every machine, and run `carabiner vault-key rotate`.',
    )
  if (config.vaultKey)
    throw new CommandError(
      'The vault key comes from VAULT_KEY. Set VAULT_KEY to a new key and VAULT_KEY_PREVIOUS to the current one on every machine; then run `carabiner vault-key rotate`.',
    )
  const ring = await openKeyRing(config, db)
  const vault = await openVaultFor(config, db)
  const change = { organizationId: SERVICE_CHAIN, command: 'vault-key add', action: 'vault_key.added' }
  await recordCommand({ db, vault }, change, () =>
    db.transaction(async tx => {
      const current = await lockVaultKey(tx, ring)
      if (!ring.first().id.equals(current.id))
        throw new CommandError(
          `The key at the top of ${config.keyFile} is not in use yet. Switch to it with \`carabiner vault-key rotate\`.`,
        )
      addVaultKey(config.keyFile, strengthOf(config))
    }),
  )
  return {
    text: `Added a new key at the top of ${config.keyFile}. Copy the file to every machine, and keep a copy separate from the database. Then switch to it with \`carabiner vault-key rotate\`.`,
    data: { key_file: config.keyFile },
  }
}

const rotate = async (
  config: Config,
  db: Database,
  report: (progress: Progress) => void,
): Promise<Output> => {
  const vault = await openVaultFor(config, db)
  const keySource = await keySourceOf(config, db)
  const change = { organizationId: SERVICE_CHAIN, command: 'vault-key rotate', action: 'keys.rotated' }
  const result = await recordCommand({ db, vault }, change, () =>
    rotateKeys({ db, keySource, onProgress: report }),
  )
  const { users, secrets, resumed, droppedVaultKeys, unreadable } = result
  return {
    text: [
      `Rotated${resumed ? ', resuming a previous run' : ''}: ${users} users have new keys, and their ${secrets} secrets are sealed under them.`,
      vaultKeyText(config, droppedVaultKeys),
      'Previous keys of organizations are deleted automatically within a day, once nothing valid needs them.',
      ...unreadableText(unreadable),
    ].join('\n'),
    data: {
      resumed,
      users,
      secrets,
      dropped_vault_keys: droppedVaultKeys,
      unreadable: unreadable.map(({ location }) => ({
        organization_id: location.organizationId,
        registered_user_id: location.registeredUserId,
        connector: location.connectorSlug,
        credential_id: location.credentialId ?? null,
      })),
    },
  }
}

const keySourceOf = async (config: Config, db: Database): Promise<VaultKeySource> => {
  const ring = await openKeyRing(config, db)
  if (config.keyProvider || config.vaultKey) return { ring }
  const options = { production: !config.development }
  return {
    ring,
    add: () => addVaultKey(config.keyFile, strengthOf(config)),
    dropOlder: inUse =>
      dropOlderVaultKeys(config.keyFile, text => parseVaultKey(text, options).id.equals(inUse.id)),
  }
}

const vaultKeyText = (config: Config, dropped: number): string => {
  if (config.keyProvider)
    return 'Everything is wrapped under the first key of the key provider. It no longer needs the other keys of this database.'
  if (!config.vaultKey)
    return `${dropped === 1 ? 'The previous vault key was' : `${dropped} previous vault keys were`} removed from ${config.keyFile}. Copy the file to every machine, and keep a copy separate from the database.`
  return config.previousVaultKeys.length > 0
    ? 'Nothing is wrapped under VAULT_KEY_PREVIOUS anymore. Remove the setting.'
    : 'The vault key itself is unchanged. To replace it, set VAULT_KEY to a new key and VAULT_KEY_PREVIOUS to the current one on every machine, and rotate again.'
}

const unreadableText = (unreadable: { location: { registeredUserId: string } }[]): string[] =>
  unreadable.length === 0
    ? []
    : [
        '',
        `${unreadable.length} sealed ${unreadable.length === 1 ? 'secret did' : 'secrets did'} not decrypt and were left unchanged: they were tampered with, or their key was lost before. --json lists them.`,
      ]

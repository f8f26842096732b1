import { join } from 'node:path'
import type { Environment } from '../program/cli-context.ts'
import { CommandError } from '../terminal/output.ts'
import { openKeychain } from './keychain.ts'
import { readPrivateJson, writePrivateJson } from './private-file.ts'
import { configFolder, type Profile } from './profile-store.ts'

type StoredKeys = Record<string, string>

export const keysFile = (environment: Environment): string => join(configFolder(environment), 'keys.json')

const readKeys = (environment: Environment): StoredKeys =>
  (readPrivateJson(keysFile(environment)) as StoredKeys | null) ?? {}

/** Stores the key in the keychain if there is one, otherwise in a file of its own that only its owner can read. */
export const storeKey = async (
  environment: Environment,
  profile: string,
  key: string,
  { wantsFile }: { wantsFile: boolean },
): Promise<Profile['key_store']> => {
  const keychain = wantsFile ? null : openKeychain(environment)
  if (keychain && (await keychain.store(profile, key)) && (await keychain.find(profile)) === key)
    return 'keychain'
  writePrivateJson(keysFile(environment), { ...readKeys(environment), [profile]: key })
  return 'file'
}

export const findKey = async (environment: Environment, name: string, profile: Profile): Promise<string> => {
  const key =
    profile.key_store === 'keychain'
      ? await openKeychain(environment)?.find(name)
      : readKeys(environment)[name]
  if (key) return key
  const place = profile.key_store === 'keychain' ? 'the keychain' : keysFile(environment)
  throw new CommandError(
    `The API key of the profile "${name}" is not in ${place}. Run \`carabiner login --profile ${name}\`.`,
    'not_signed_in',
  )
}

export const removeKey = async (environment: Environment, name: string, profile: Profile): Promise<void> => {
  if (profile.key_store === 'keychain') return openKeychain(environment)?.remove(name)
  const { [name]: _removed, ...others } = readKeys(environment)
  writePrivateJson(keysFile(environment), others)
}

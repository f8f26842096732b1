import { join } from 'node:path'
import type { Environment } from '../program/cli-context.ts'
import { CommandError } from '../terminal/output.ts'
import { readPrivateJson, writePrivateJson } from './private-file.ts'

/** A service and an organization to work with. The key is stored elsewhere: see `key-store.ts`. */
export type Profile = {
  url: string
  organization: string | null
  mode: 'production' | 'test' | null
  key_hint: string
  key_store: 'keychain' | 'file'
}
export type Profiles = { current: string | null; profiles: Record<string, Profile> }

export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const configFolder = (environment: Environment): string => {
  const { XDG_CONFIG_HOME, APPDATA, HOME, USERPROFILE } = environment
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'carabiner')
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'carabiner')
  const home = HOME ?? USERPROFILE
  if (!home)
    throw new CommandError('HOME is not set, so there is no folder for profiles. Set XDG_CONFIG_HOME.')
  return join(home, '.config', 'carabiner')
}

const profilesFile = (environment: Environment): string => join(configFolder(environment), 'profiles.json')

export const readProfiles = (environment: Environment): Profiles => {
  const stored = readPrivateJson(profilesFile(environment)) as Profiles | null
  return stored ?? { current: null, profiles: {} }
}

export const writeProfiles = (environment: Environment, profiles: Profiles): void =>
  writePrivateJson(profilesFile(environment), profiles)

export const requireProfile = ({ profiles }: Profiles, name: string): Profile => {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const known = Object.keys(profiles)
  throw new CommandError(
    known.length > 0
      ? `There is no profile "${name}". The profiles are: ${known.join(', ')}.`
      : `There is no profile "${name}". Create it with \`carabiner login --profile ${name}\`.`,
  )
}

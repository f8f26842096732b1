import { type Access, connect, DEFAULT_URL, explainApiError } from '../api/api-client.ts'
import { CarabinerError } from '../api/sdk.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Output, UsageError } from '../terminal/output.ts'
import { keysFile, storeKey } from './key-store.ts'
import { PROFILE_NAME, type Profile, readProfiles, writeProfiles } from './profile-store.ts'

export type LoginOptions = { url?: string; keyStdin?: boolean; keyStore?: 'keychain' | 'file' }

/** `carabiner login`: stores a profile after the service has accepted the key. */
export const login = async (
  context: CliContext,
  options: LoginOptions,
  readStdin: () => string,
): Promise<Output> => {
  const { environment, prompts, globals } = context
  const name = globals.profile ?? (environment.CARABINER_PROFILE?.trim() || 'default')
  if (!PROFILE_NAME.test(name))
    throw new UsageError('A profile name can contain only letters, digits, ".", "_" and "-".')
  const url =
    options.url ??
    environment.CARABINER_URL?.trim() ??
    (await prompts.text({
      message: 'URL of the service',
      option: '--url',
      defaultValue: DEFAULT_URL,
      validate: value =>
        URL.canParse(value) ? undefined : 'It must be a URL such as https://connect.example.com.',
    }))
  const key = options.keyStdin
    ? readStdin().trim()
    : (environment.CARABINER_API_KEY?.trim() ??
      (await prompts.secret({
        message: 'API key (cb_sk_…)',
        option: '--key-stdin, or set CARABINER_API_KEY',
        validate: value => (value.trim() === '' ? 'The key is empty.' : undefined),
      })))
  const identity = await identify(context, { url, key: key.trim(), keySource: 'the API key', profile: name })
  const store = await storeKey(environment, name, key.trim(), { wantsFile: options.keyStore === 'file' })
  const profile: Profile = { ...identity, key_store: store }
  const stored = readProfiles(environment)
  writeProfiles(environment, { current: name, profiles: { ...stored.profiles, [name]: profile } })
  return {
    text: [
      `Signed in to ${profile.url}${profile.organization ? ` as ${profile.organization}` : ''} (${profile.mode ?? 'unknown'} mode). Profile: ${name}.`,
      store === 'keychain'
        ? 'The key is in the keychain.'
        : `The key is in ${keysFile(environment)}, readable by you only.`,
    ].join('\n'),
    data: { profile: name, ...profile },
  }
}

export type Identity = Pick<Profile, 'url' | 'organization' | 'mode' | 'key_hint'>

/** Checks the key against the service. A test key may not read the organization, but lists connectors. */
export const identify = async (
  context: Pick<CliContext, 'globals' | 'terminal'>,
  access: Access,
): Promise<Identity> => {
  const { client, url } = connect(context, access)
  const { key } = access
  const mode = key.startsWith('cb_sk_live_') ? 'production' : key.startsWith('cb_sk_test_') ? 'test' : null
  const identity = { url, mode, key_hint: key.slice(-4) } as const
  try {
    const { name } = await client.organization.get()
    return { ...identity, organization: name }
  } catch (error) {
    if (!(error instanceof CarabinerError) || error.status !== 403) throw explainApiError(error, access)
  }
  try {
    await client.connectors.list()
    return { ...identity, organization: null }
  } catch (error) {
    throw explainApiError(error, access)
  }
}

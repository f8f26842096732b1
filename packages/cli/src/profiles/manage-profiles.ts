import { findAccess } from '../api/api-client.ts'
import type { CliContext } from '../program/cli-context.ts'
import { CommandError, type Output } from '../terminal/output.ts'
import { details, table } from '../terminal/table.ts'
import { removeKey } from './key-store.ts'
import { identify } from './login.ts'
import { readProfiles, requireProfile, writeProfiles } from './profile-store.ts'

/** `carabiner logout`: removes the profile and its key from this machine. The key stays valid. */
export const logout = async ({ environment, globals }: CliContext): Promise<Output> => {
  const stored = readProfiles(environment)
  const name = globals.profile ?? (environment.CARABINER_PROFILE?.trim() || stored.current)
  if (!name) throw new CommandError('There is no profile to remove.')
  await removeKey(environment, name, requireProfile(stored, name))
  const { [name]: _removed, ...profiles } = stored.profiles
  const current = stored.current === name ? (Object.keys(profiles)[0] ?? null) : stored.current
  writeProfiles(environment, { current, profiles })
  return {
    text: `Removed the profile "${name}" and its key from this machine. The key itself is still valid.${current ? ` The current profile is "${current}".` : ''}`,
    data: { profile: name, current },
  }
}

export const listProfiles = ({ environment, screen }: CliContext): Output => {
  const { current, profiles } = readProfiles(environment)
  const rows = Object.entries(profiles).map(([name, profile]) => ({
    name,
    is_current: name === current,
    ...profile,
  }))
  return {
    text:
      rows.length === 0
        ? 'There are no profiles. Create one with `carabiner login`.'
        : table(
            rows,
            [
              { title: '', value: row => (row.is_current ? '*' : ' ') },
              { title: 'PROFILE', value: row => row.name },
              { title: 'URL', value: row => row.url, shrinks: true },
              { title: 'ORGANIZATION', value: row => row.organization, shrinks: true },
              { title: 'MODE', value: row => row.mode },
              { title: 'KEY', value: row => `…${row.key_hint} (${row.key_store})` },
            ],
            screen,
          ),
    data: rows,
  }
}

export const selectProfile = ({ environment }: CliContext, name: string): Output => {
  const stored = readProfiles(environment)
  const { url } = requireProfile(stored, name)
  writeProfiles(environment, { ...stored, current: name })
  return { text: `The current profile is "${name}" (${url}).`, data: { current: name } }
}

/** `carabiner whoami`: which service and organization commands use. */
export const whoami = async (context: CliContext): Promise<Output> => {
  const access = await findAccess(context)
  const identity = await identify(context, access)
  return {
    text: details(
      [
        ['URL', identity.url],
        ['Organization', identity.organization ?? 'not readable with this key'],
        ['Mode', identity.mode],
        [
          'Key',
          `…${identity.key_hint}, from ${access.profile ? `the profile "${access.profile}"` : access.keySource}`,
        ],
      ],
      context.screen,
    ),
    data: { ...identity, profile: access.profile },
  }
}

import { findKey } from '../profiles/key-store.ts'
import { readProfiles, requireProfile } from '../profiles/profile-store.ts'
import type { CliContext } from '../program/cli-context.ts'
import { CommandError } from '../terminal/output.ts'
import { logRequests } from './log-requests.ts'
import { CarabinerError, type Client, createClient } from './sdk.ts'

export const DEFAULT_URL = 'http://localhost:4000'

/** The service and the key to use, and where they come from. */
export type Access = {
  url: string
  key: string
  /** Names the source of the key in messages. */
  keySource: string
  profile: string | null
}

export type ApiClient = { client: Client; url: string; access: Access }
type ApiContext = Pick<CliContext, 'environment' | 'globals' | 'terminal'>

/** `--profile`, then the variables, then the current profile. */
export const findAccess = async ({
  environment,
  globals,
}: Pick<CliContext, 'environment' | 'globals'>): Promise<Access> => {
  const key = environment.CARABINER_API_KEY?.trim()
  const url = environment.CARABINER_URL?.trim()
  if (key && globals.profile === undefined)
    return { url: url || DEFAULT_URL, key, keySource: 'CARABINER_API_KEY', profile: null }
  const stored = readProfiles(environment)
  const name = globals.profile ?? (environment.CARABINER_PROFILE?.trim() || stored.current)
  if (!name)
    throw new CommandError(
      'There is no API key. Run `carabiner login`, or set CARABINER_API_KEY to an API key of the organization.',
      'not_signed_in',
    )
  const profile = requireProfile(stored, name)
  // The key of a profile is never sent to another service.
  if (url && globals.profile === undefined && trimmed(url) !== profile.url)
    throw new CommandError(
      `CARABINER_URL is ${url}, but the profile "${name}" is for ${profile.url}. Set CARABINER_API_KEY too, or unset CARABINER_URL.`,
    )
  const keySource = `the API key of the profile "${name}"`
  return { url: profile.url, key: await findKey(environment, name, profile), keySource, profile: name }
}

const trimmed = (url: string): string => url.replace(/\/+$/, '')

/** A client of the API, for commands that need neither the database nor the vault key. */
export const openApi = async (context: ApiContext): Promise<ApiClient> => {
  const access = await findAccess(context)
  return { ...connect(context, access), access }
}

export const connect = (
  { globals, terminal }: Pick<ApiContext, 'globals' | 'terminal'>,
  { url, key, keySource }: Access,
): { client: Client; url: string } => {
  try {
    const client = createClient({
      apiKey: key,
      baseUrl: url,
      ...(globals.verbose && { fetch: logRequests(terminal) }),
    })
    return { client, url: trimmed(url) }
  } catch (error) {
    const { message } = error as Error
    throw new CommandError(message.replace(/^apiKey/, keySource).replace(/^baseUrl/, 'The URL'))
  }
}

/** Runs a command with the API. Its errors become what happened and what to do. */
export const withApi = async <T>(context: ApiContext, run: (api: ApiClient) => Promise<T>): Promise<T> => {
  const api = await openApi(context)
  try {
    return await run(api)
  } catch (error) {
    throw explainApiError(error, api.access)
  }
}

export const explainApiError = (error: unknown, { url, keySource }: Access): unknown => {
  if (!(error instanceof CarabinerError)) return error
  const { status, code, requestId, retryAfter } = error
  if (status === 401)
    return new CommandError(
      `${url} rejected ${keySource} (${code}). Use a current API key of the organization.`,
      code,
    )
  if (status === 0)
    return new CommandError(
      `${url} cannot be reached (${causeOf(error)}). Check the URL, and whether the service is running.`,
      code,
    )
  if (code === 'unexpected_response')
    return new CommandError(
      `${url} responded with status ${status}, but not as Carabiner does. Check the URL, and any proxy in between.`,
      code,
    )
  const details = [code, ...(requestId ? [`request ${requestId}`] : [])].join(', ')
  const advice = retryAfter === undefined ? '' : ` Try again in ${retryAfter} s.`
  return new CommandError(`${error.message}${advice} (${details})`, code)
}

/** The system's error code, which fetch reports as the cause of its own error. */
export const causeOf = (error: unknown): string => {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as { code?: unknown }
    if (typeof code === 'string' && /^(E[A-Z]+|UND_|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code)) return code
    if (each.name === 'TimeoutError') return 'timeout'
  }
  return error instanceof CarabinerError ? error.code : (error as Error).message
}

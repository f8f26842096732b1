import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import type { SignIn, SignInWrite } from '../api/sdk.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import { type Output, UsageError } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { details } from '../terminal/table.ts'

export type SignInOptions = {
  issuer?: string
  clientId?: string
  clientSecretStdin?: boolean
  publicClient?: boolean
  scopes?: string[]
  userClaim?: string
  trustEmail?: boolean
  acceptAssertions?: boolean
  signInUrl?: string
  createUsers?: boolean
  pack?: string[]
}

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no')

const describeSignIn = ({ screen }: CliContext, settings: SignIn): string => {
  const { identity_provider: provider, updated_at: changed } = settings
  if (changed === null)
    return details(
      [
        ['Mode', settings.mode],
        ['State', 'not configured'],
        ['Redirect URI', settings.redirect_uri],
      ],
      screen,
    )
  return details(
    [
      ['Mode', settings.mode],
      ['Issuer', provider?.issuer],
      ['Client ID', provider?.client_id],
      ['Client secret', provider && (provider.has_client_secret ? 'stored' : 'none: a public client')],
      ['Scopes', provider && ['openid', ...provider.scopes].join(' ')],
      ['User claim', provider?.user_claim],
      ['Email trusted', provider && yesOrNo(provider.trust_email)],
      ['Assertions', provider && (provider.accept_assertions ? 'accepted' : 'not accepted')],
      ['Sign-in URL', settings.sign_in_url],
      ['Creates users', yesOrNo(settings.create_users)],
      ['Tool Packs', settings.tool_pack_ids?.join(', ') ?? 'all'],
      ['Redirect URI', provider && settings.redirect_uri],
      ['Token issuer', settings.issuer],
      ['Changed', momentOf(changed)],
    ],
    screen,
  )
}

export const showSignIn = (context: CliContext): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const data = await client.signIn.get()
    return { text: describeSignIn(context, data), data }
  })

/** Options of the identity provider, which are meaningless with a page of the application. */
const PROVIDER_OPTIONS = {
  clientId: '--client-id',
  clientSecretStdin: '--client-secret-stdin',
  publicClient: '--public-client',
  scopes: '--scopes',
  userClaim: '--user-claim',
  trustEmail: '--trust-email',
  acceptAssertions: '--accept-assertions',
} as const

const requireConsistent = (options: SignInOptions): void => {
  const { issuer, signInUrl, clientId, clientSecretStdin, publicClient } = options
  if ((issuer === undefined) === (signInUrl === undefined))
    throw new UsageError('Use either --issuer, for an OpenID Connect provider, or --sign-in-url.')
  if (issuer !== undefined && clientId === undefined) throw new UsageError('--issuer needs --client-id.')
  if (clientSecretStdin && publicClient)
    throw new UsageError('Use either --client-secret-stdin or --public-client.')
  for (const [name, flag] of Object.entries(PROVIDER_OPTIONS))
    if (signInUrl !== undefined && options[name as keyof SignInOptions] !== undefined)
      throw new UsageError(`${flag} is not available with --sign-in-url.`)
}

/** Never an argument: other users of the machine can read the arguments of a process, and shells keep a history. */
const readClientSecret = async (
  { environment, prompts }: CliContext,
  { clientSecretStdin, publicClient }: SignInOptions,
  readStdin: () => string,
): Promise<string | null> => {
  if (publicClient) return null
  const secret = clientSecretStdin
    ? readStdin()
    : (environment.CARABINER_CLIENT_SECRET ??
      (await prompts.secret({
        message: 'Client secret at the identity provider',
        option: '--client-secret-stdin, set CARABINER_CLIENT_SECRET, or use --public-client',
        validate: value => (value.trim() === '' ? 'The client secret is empty.' : undefined),
      })))
  if (secret.trim() === '') throw new UsageError('The client secret is empty.')
  return secret.trim()
}

const readProvider = async (
  context: CliContext,
  options: SignInOptions,
  readStdin: () => string,
): Promise<SignInWrite['identity_provider']> => {
  const { issuer, clientId, scopes, userClaim, trustEmail, acceptAssertions } = options
  if (issuer === undefined || clientId === undefined) return undefined
  const secret = await readClientSecret(context, options, readStdin)
  return {
    issuer,
    client_id: clientId,
    // Null, and not left out: the service would keep a stored secret.
    client_secret: secret,
    ...(scopes && { scopes }),
    ...(userClaim && { user_claim: userClaim }),
    ...(trustEmail && { trust_email: true }),
    ...(acceptAssertions && { accept_assertions: true }),
  }
}

/** `carabiner sign-in set`: replaces all settings of the mode. Options that are not given have their defaults. */
export const setSignIn = (
  context: CliContext,
  options: SignInOptions,
  readStdin: () => string,
): Promise<Output> => {
  requireConsistent(options)
  return withApi(context, async ({ client }) => {
    const { signInUrl, createUsers, pack } = options
    const packs = pack && (await Promise.all(pack.map(each => findPack(client, each))))
    const provider = await readProvider(context, options, readStdin)
    const data = await client.signIn.replace({
      ...(provider && { identity_provider: provider }),
      ...(signInUrl !== undefined && { sign_in_url: signInUrl }),
      ...(createUsers && { create_users: true }),
      ...(packs && { tool_pack_ids: packs.map(({ id }) => id) }),
    })
    if (provider && !context.globals.json)
      context.terminal.notice('Register the redirect URI at the identity provider.')
    return { text: describeSignIn(context, data), data }
  })
}

export const removeSignIn = (context: CliContext, confirmed: Confirmed): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { mode, updated_at: changed } = await client.signIn.get()
    if (changed !== null)
      await requireConfirmation(
        context,
        `Turn off sign-in in ${mode} mode? Signed-in clients stop working immediately.`,
        confirmed,
      )
    await client.signIn.delete()
    return { text: `Sign-in is off in ${mode} mode.`, data: { mode } }
  })

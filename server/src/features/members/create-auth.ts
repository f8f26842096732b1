import { HOUR, MINUTE, SECOND } from '../../core/duration.ts'
import { newUuid } from '../../core/uuid.ts'
import { isEmailVerified } from '../../core/verified-email.ts'
import type { Config } from '../../platform/config.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { claimAddress } from './claim-address.ts'
import { createDialect } from './kysely-dialect.ts'
import { passkeyRealm } from './passkeys/verify-passkey.ts'
import { personStore } from './person-store.ts'
import { cookiePrefix } from './session-cookie.ts'

/** The paths of better-auth are below this one. */
export const AUTH_PATH = '/dashboard/auth'
export const SSO_PROVIDER = 'sso'
/** The client's address as this service trusts it, for better-auth’s rate limits. */
export const ADDRESS_HEADER = 'x-carabiner-client'

export const SESSION_TTL_MS = 12 * HOUR
/** A session that is used is extended at most this often. */
const SESSION_UPDATE_MS = HOUR
/** Adding a passkey or a second factor needs a sign-in within this time. */
const FRESH_MS = 10 * MINUTE
export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 256

export type AuthDeps = {
  db: Database
  log: Log
  baseUrl: string
  /** Signs cookies and encrypts second factors. */
  authSecret: string
  singleSignOn: Config['singleSignOn']
}

export type Auth = Awaited<ReturnType<typeof createAuth>>

/** better-auth with the tables of `0011_members.sql`. People are invited, so nobody can sign up. It is loaded at its first use. */
export const createAuth = async ({ db, log, baseUrl, authSecret, singleSignOn }: AuthDeps) => {
  const [{ betterAuth }, { twoFactor, genericOAuth }, { passkey }] = await Promise.all([
    import('better-auth'),
    import('better-auth/plugins'),
    import('@better-auth/passkey'),
  ])
  const { rpId, origin } = passkeyRealm(baseUrl)
  return betterAuth({
    baseURL: baseUrl,
    basePath: AUTH_PATH,
    secret: authSecret,
    database: { dialect: createDialect(db), type: 'postgres', transaction: false },
    telemetry: { enabled: false },
    logger: { log: (level, message) => log[level]({}, `sign-in: ${message}`) },
    trustedOrigins: [origin],
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: MAX_PASSWORD_LENGTH,
      revokeSessionsOnPasswordReset: true,
    },
    user: { modelName: 'people', fields: timed({ emailVerified: 'email_verified' }) },
    session: {
      modelName: 'people_sessions',
      fields: timed({
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
      }),
      expiresIn: SESSION_TTL_MS / SECOND,
      updateAge: SESSION_UPDATE_MS / SECOND,
      freshAge: FRESH_MS / SECOND,
    },
    account: {
      modelName: 'people_accounts',
      fields: timed({
        userId: 'user_id',
        providerId: 'provider_id',
        accountId: 'account_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
      }),
      encryptOAuthTokens: true,
      // An account is linked to the person with its address if the provider has verified the address; see `mapProfileToUser`.
      accountLinking: { enabled: true, requireLocalEmailVerified: false },
    },
    databaseHooks: {
      account: {
        create: {
          before: async ({ providerId, userId }) => {
            if (providerId !== SSO_PROVIDER) return
            // Another subject of the provider with the same address does not become the same person.
            if ((await personStore.identitiesOf(db, userId)).length > 0) return false
            // Before the session of this sign-in is created, because earlier sessions end.
            await db.transaction(tx => claimAddress(tx, userId))
            return
          },
        },
      },
    },
    verification: { modelName: 'people_verifications', fields: timed({ expiresAt: 'expires_at' }) },
    rateLimit: {
      enabled: true,
      storage: 'database',
      modelName: 'people_rate_limits',
      fields: { lastRequest: 'last_request' },
      window: MINUTE / SECOND,
      max: 120,
      customRules: {
        '/sign-in/*': { window: MINUTE / SECOND, max: 10 },
        '/two-factor/*': { window: MINUTE / SECOND, max: 10 },
        '/passkey/verify-authentication': { window: MINUTE / SECOND, max: 20 },
      },
    },
    plugins: [
      twoFactor({
        issuer: 'Carabiner',
        twoFactorTable: 'people_second_factors',
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            fields: {
              userId: 'user_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failed_verification_count',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
      passkey({
        rpName: 'Carabiner',
        rpID: rpId,
        origin,
        schema: {
          passkey: {
            modelName: 'people_passkeys',
            fields: {
              userId: 'user_id',
              publicKey: 'public_key',
              credentialID: 'credential_id',
              deviceType: 'device_type',
              backedUp: 'backed_up',
              createdAt: 'created_at',
            },
          },
        },
      }),
      ...(singleSignOn
        ? [
            genericOAuth({
              config: [
                {
                  providerId: SSO_PROVIDER,
                  name: singleSignOn.name,
                  discoveryUrl: `${singleSignOn.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
                  clientId: singleSignOn.clientId,
                  clientSecret: singleSignOn.clientSecret.reveal(),
                  scopes: ['openid', 'email', 'profile'],
                  requireIdTokenVerification: true,
                  disableSignUp: true,
                  mapProfileToUser: profile => ({
                    emailVerified: isEmailVerified(profile) || singleSignOn.trustsEmail,
                  }),
                },
              ],
            }),
          ]
        : []),
    ],
    advanced: {
      cookiePrefix: cookiePrefix(baseUrl),
      // Would add a prefix of its own.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: baseUrl.startsWith('https:') },
      cookies: { session_token: { attributes: { sameSite: 'strict' } } },
      database: { generateId: () => newUuid() },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
    },
  })
}

const timed = <Fields extends object>(fields: Fields) => ({
  ...fields,
  createdAt: 'created_at',
  updatedAt: 'updated_at',
})

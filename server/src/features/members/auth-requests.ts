import { isObject } from '../../core/json/object.ts'
import { Refusal } from '../../core/refusal.ts'
import { AUTH_PATH, SSO_PROVIDER } from './create-auth.ts'

/** The endpoints of better-auth that the dashboard uses. All others are unknown. */
const AUTH_ENDPOINTS = new RegExp(
  `^${AUTH_PATH}/(sign-in/(email|social)|callback/sso|sign-out|get-session|update-user|` +
    'two-factor/(enable|disable|get-totp-uri|verify-totp|verify-backup-code|generate-backup-codes)|' +
    'passkey/(generate-register-options|verify-registration|generate-authenticate-options|verify-authentication|list-user-passkeys|delete-passkey|update-passkey))$',
)

export const MAX_NAME_LENGTH = 120

type Fields = Record<string, unknown>

const isShortText = (value: unknown): boolean =>
  typeof value === 'string' && value.trim().length > 0 && value.length <= MAX_NAME_LENGTH

/** Where better-auth accepts more than the dashboard sends: which field is not acceptable, or null. */
const REJECTED_FIELDS: Readonly<Record<string, (body: Fields) => string | null>> = {
  // A name is shown to the other members and recorded with every change.
  'update-user': ({ name, ...others }) => Object.keys(others)[0] ?? (isShortText(name) ? null : 'name'),
  // An ID token in the body would start a session without the nonce and the state of a sign-in in this browser.
  'sign-in/social': ({ provider, callbackURL: _next, errorCallbackURL: _error, ...others }) =>
    Object.keys(others)[0] ?? (provider === SSO_PROVIDER ? null : 'provider'),
}

/** Throws if the dashboard does not send such requests. */
export const requireKnownRequest = (path: string, body: unknown): void => {
  if (!AUTH_ENDPOINTS.test(path)) throw new Refusal('not_found')
  const check = REJECTED_FIELDS[path.slice(AUTH_PATH.length + 1)]
  const param = check?.(isObject(body) ? body : {}) ?? null
  if (param !== null)
    throw new Refusal('invalid_request', {
      param,
      message: `"${param.slice(0, 100)}" is missing or invalid.`,
    })
}

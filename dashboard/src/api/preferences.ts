import type { Scope } from './client.ts'
import type { Mode, Session } from './session.ts'

/** Preferences of this browser. They are cookies, because the service uses them when it renders Home. */
const MAX_AGE_S = 400 * 86_400

const read = (cookies: string, name: string): string | undefined =>
  cookies
    .split('; ')
    .find(cookie => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1)

const write = (name: string, value: string): void => {
  // The service renders a page, but changes nothing.
  if (import.meta.env.SSR) return
  const secure = window.location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS, and reads asynchronously.
  document.cookie = `${name}=${value}; path=/dashboard; max-age=${MAX_AGE_S}; samesite=lax${secure}`
}

const SCOPE = 'carabiner.scope'
export const isMode = (text: string | undefined): text is Mode => text === 'production' || text === 'test'

/** The organization and mode that were used last. Default: the first organization, test mode. */
export const chooseScope = ({ organizations }: Session, cookies: string): Scope | undefined => {
  const [last, mode] = read(cookies, SCOPE)?.split('/') ?? []
  const organization = organizations.find(({ id }) => id === last) ?? organizations[0]
  return organization && { organization: organization.id, mode: isMode(mode) ? mode : 'test' }
}

export const rememberScope = ({ organization, mode }: Scope): void => write(SCOPE, `${organization}/${mode}`)

const firstStepsOf = ({ organization, mode }: Scope): string =>
  `carabiner.first-steps.${organization}.${mode}`

export const areFirstStepsDismissed = (scope: Scope, cookies: string): boolean =>
  read(cookies, firstStepsOf(scope)) !== undefined

export const dismissFirstSteps = (scope: Scope): void => write(firstStepsOf(scope), 'dismissed')

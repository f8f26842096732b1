import type { Scope } from './client.ts'
import type { Mode, Session } from './session.ts'

const SCOPE = 'carabiner.scope'
export const isMode = (text: string | undefined): text is Mode => text === 'production' || text === 'test'

/** The organization and mode that were used last in this browser. Default: the first organization, test mode. */
export const chooseScope = ({ organizations }: Session): Scope | undefined => {
  const [last, mode] = localStorage.getItem(SCOPE)?.split('/') ?? []
  const organization = organizations.find(({ id }) => id === last) ?? organizations[0]
  return organization && { organization: organization.id, mode: isMode(mode) ? mode : 'test' }
}

export const rememberScope = ({ organization, mode }: Scope): void =>
  localStorage.setItem(SCOPE, `${organization}/${mode}`)

const firstStepsOf = ({ organization, mode }: Scope): string =>
  `carabiner.first-steps.${organization}.${mode}`

export const areFirstStepsDismissed = (scope: Scope): boolean =>
  localStorage.getItem(firstStepsOf(scope)) !== null

/** Of the organization, because the setting applies to both modes. */
const noPayloadsOf = ({ organization }: Scope): string => `carabiner.no-payloads.${organization}`

export const hasDeclinedPayloads = (scope: Scope): boolean =>
  localStorage.getItem(noPayloadsOf(scope)) !== null

export const declinePayloads = (scope: Scope): void => localStorage.setItem(noPayloadsOf(scope), 'declined')

export const dismissFirstSteps = (scope: Scope): void =>
  localStorage.setItem(firstStepsOf(scope), 'dismissed')

import type { FormMethod } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import type { FormValues } from '../upstream/authorization-kind.ts'
import { type CredentialSecret, obtainSecret } from '../upstream/authorization-kinds/authorization-kinds.ts'
import { type CheckDeps, type CheckedCredential, checkCredential } from './check-credential.ts'
import type { ServedConnector } from './mcp-servers/mcp-connector.ts'

/** `invalidField`: the field that the problem is about, if it is one. */
type ObtainProblem = {
  kind: 'problem'
  problem: 'key_rejected' | 'key_check_unavailable' | 'certificate_refused'
  invalidField?: string
}

export type ObtainedAccount =
  | {
      kind: 'account'
      secret: CredentialSecret
      expiresInSeconds: number | null
      endsInSeconds: number | null
      checked: Extract<CheckedCredential, { kind: 'account' }>
    }
  | ObtainProblem

/** Makes a credential from the values of a form, and has the provider accept it. */
export const obtainCredential = async (
  deps: CheckDeps,
  organizationId: string,
  { connector, method }: { connector: ServedConnector; method: FormMethod },
  values: FormValues,
): Promise<ObtainedAccount> => {
  const obtained = await obtainSecret(deps.egress.onBehalfOf(organizationId), method, values)
  if (obtained.kind !== 'obtained') return problemOf(method, obtained.kind)
  const checked = await checkCredential(deps, organizationId, connector, obtained.secret)
  if (checked.kind === 'rejected' && checked.because === 'certificate')
    return problemOf(method, 'certificate_refused')
  if (checked.kind !== 'account') return problemOf(method, checked.kind)
  const { secret, expiresInSeconds, endsInSeconds = null } = obtained
  const { endsAt } = checked
  return {
    kind: 'account',
    secret,
    expiresInSeconds,
    endsInSeconds: endsAt ? (endsAt.getTime() - Date.now()) / SECOND : endsInSeconds,
    checked,
  }
}

const PROBLEMS = {
  rejected: 'key_rejected',
  certificate_refused: 'certificate_refused',
  unavailable: 'key_check_unavailable',
} as const

const problemOf = ({ fields }: FormMethod, kind: keyof typeof PROBLEMS): ObtainProblem => {
  const certificate = fields.find(({ client_certificate }) => client_certificate)?.name
  return {
    kind: 'problem',
    problem: PROBLEMS[kind],
    ...(kind === 'certificate_refused' && certificate && { invalidField: certificate }),
  }
}

import type { FormMethod } from '@carabiner/contract'
import type { FormValues } from '../upstream/authorization-kind.ts'
import { type CredentialSecret, obtainSecret } from '../upstream/authorization-kinds/authorization-kinds.ts'
import { type CheckDeps, type CheckedCredential, checkCredential } from './check-credential.ts'
import type { ServedConnector } from './mcp-servers/mcp-connector.ts'

export type ObtainedAccount =
  | {
      kind: 'account'
      secret: CredentialSecret
      expiresInSeconds: number | null
      endsInSeconds: number | null
      checked: Extract<CheckedCredential, { kind: 'account' }>
    }
  | { kind: 'problem'; problem: 'key_rejected' | 'key_check_unavailable' }

/** Makes a credential from the values of a form, and has the provider accept it. */
export const obtainCredential = async (
  deps: CheckDeps,
  organizationId: string,
  { connector, method }: { connector: ServedConnector; method: FormMethod },
  values: FormValues,
): Promise<ObtainedAccount> => {
  const obtained = await obtainSecret(deps.egress.onBehalfOf(organizationId), method, values)
  if (obtained.kind !== 'obtained') return problemOf(obtained)
  const checked = await checkCredential(deps, organizationId, connector, obtained.secret)
  if (checked.kind !== 'account') return problemOf(checked)
  const { secret, expiresInSeconds, endsInSeconds = null } = obtained
  return { kind: 'account', secret, expiresInSeconds, endsInSeconds, checked }
}

const problemOf = ({ kind }: { kind: 'rejected' | 'unavailable' }) =>
  ({ kind: 'problem', problem: kind === 'rejected' ? 'key_rejected' : 'key_check_unavailable' }) as const

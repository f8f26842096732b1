import type { AuthorizationType } from '@carabiner/contract'
import {
  array,
  boolean,
  bytea,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import type { ToolChoice } from '../../connectors/catalog/tool-choice.ts'
import type { StoredCredential } from '../../credentials/credential-store.ts'
import { limitColumns } from '../../metering/limits/call-limits.ts'
import type { McpTool } from '../../upstream/mcp-client/tool-definitions.ts'
import { callerColumns } from './caller-store.ts'

export type AdmittedServer = {
  id: string
  name: string
  summary: string
  url: string
  source: 'custom' | 'catalog'
  authentication: 'none' | 'user_secret' | 'organization_secret' | 'oauth'
  headerName: string
  headerPrefix: string
  sealedSecret: Buffer | null
  revision: string | null
  toolsHash: string | null
}

const { organizationState: _, ...admittedColumns } = callerColumns
/** An admitted call belongs to an active organization. */
export const admissionColumns = {
  ...admittedColumns,
  organizationId: uuid,
  userId: uuid,
  packId: uuid,
  toolChoice: nullable(typed<ToolChoice>(jsonb)),
  ...limitColumns,
  /** Identifies the current security rules of the organization and the pack. */
  rulesHash: text,
  /** Identify the current policies of the organization and the pack. Empty: the policy allows every call. */
  organizationPolicyHash: text,
  packPolicyHash: text,
  /** Whether arguments and result are recorded, and for how long the record is kept. */
  captures: boolean,
  retentionDays: integer,
}
export const credentialColumns = {
  /** The label or the ID of the only account that the pack allows. */
  fixedAccount: nullable(text),
  /**
   * Why none of the user's accounts is used. `unknown`: the call names another one. `ambiguous`: there are several. `required`: the pack
   * requires a name.
   */
  accountProblem: nullable(typed<AccountProblem>(text)),
  credentialId: nullable(uuid),
  credentialLabel: text,
  credentialStatus: typed<StoredCredential['status']>(text),
  credentialStatusReason: nullable(text),
  credentialSecretId: uuid,
  credentialSealed: nullable(bytea),
  credentialVersion: integer,
  credentialScopes: array(text),
  credentialOauthApp: nullable(text),
  credentialAccessExpiresAt: nullable(timestamptz),
  credentialRefreshDue: boolean,
  credentialPausedUntil: nullable(timestamptz),
  /** Null without renewal notices. */
  credentialHealth: nullable(typed<AdmittedHealth>(jsonb)),
  /** The data key of the owner of a shared account; null for an account of the user. */
  credentialOwnerKey: nullable(bytea),
  credentialOwnerId: nullable(uuid),
}
export const serverColumns = {
  serverId: nullable(uuid),
  serverName: text,
  serverSummary: text,
  serverUrl: text,
  serverSource: typed<AdmittedServer['source']>(text),
  serverAuthentication: typed<AdmittedServer['authentication']>(text),
  serverHeaderName: text,
  serverHeaderPrefix: text,
  serverSealedSecret: nullable(bytea),
  serverRevision: nullable(text),
  serverToolsHash: nullable(text),
  toolDefinition: nullable(typed<McpTool>(jsonb)),
}

/** Facts about the health of an account, as JSON. Times are texts. */
export type AdmittedHealth = {
  now: string
  method: AuthorizationType
  linked_at: string
  refreshed_at: string | null
  used_at: string | null
  ends_at: string | null
  end_stated_at: string | null
  own_app_in_test_mode: boolean
}

export type AccountProblem = 'unknown' | 'ambiguous' | 'required'

type CredentialRow = Values<typeof credentialColumns> & Pick<Values<typeof admissionColumns>, 'userKey'>
type McpServerRow = Values<typeof serverColumns>

/** What an admitted call needs to know. `credential`: null if the user has not linked the connector, or no account is chosen. */
export type CallAdmission = Values<typeof admissionColumns> & {
  credential: StoredCredential | null
  accountProblem: AccountProblem | null
  fixedAccount: string | null
  credentialHealth: AdmittedHealth | null
  /** The owner of a shared account; null for an account of the user. */
  sharedBy: string | null
}
export type McpCallAdmission = CallAdmission & {
  server: AdmittedServer | null
  toolDefinition: McpTool | null
}

const credentialOf = (row: CredentialRow): StoredCredential | null =>
  row.credentialId === null || row.accountProblem !== null
    ? null
    : {
        id: row.credentialId,
        label: row.credentialLabel,
        status: row.credentialStatus,
        statusReason: row.credentialStatusReason,
        secretId: row.credentialSecretId,
        sealed: row.credentialSealed,
        userKey: row.credentialOwnerKey ?? row.userKey,
        version: row.credentialVersion,
        scopes: row.credentialScopes,
        oauthApp: row.credentialOauthApp,
        accessExpiresAt: row.credentialAccessExpiresAt,
        refreshDue: row.credentialRefreshDue,
        pausedUntil: row.credentialPausedUntil,
      }

/** The part of an admission that concerns the account. */
export const accountOf = (row: CredentialRow): Pick<CallAdmission, 'credential' | 'sharedBy'> => ({
  credential: credentialOf(row),
  sharedBy: row.credentialOwnerKey && row.credentialOwnerId,
})

export const serverOf = (row: McpServerRow): AdmittedServer | null =>
  row.serverId === null
    ? null
    : {
        id: row.serverId,
        name: row.serverName,
        summary: row.serverSummary,
        url: row.serverUrl,
        source: row.serverSource,
        authentication: row.serverAuthentication,
        headerName: row.serverHeaderName,
        headerPrefix: row.serverHeaderPrefix,
        sealedSecret: row.serverSealedSecret,
        revision: row.serverRevision,
        toolsHash: row.serverToolsHash,
      }
